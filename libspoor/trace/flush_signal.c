/* SPDX-License-Identifier: MIT */
/* flush_signal.c - the handler, and whether it is ours. */
#define _GNU_SOURCE
#include "trace/flush_signal.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "event/event_path.h"
#include "format/drainer_call.h"
#include "base/warning.h"
#include "config/configuration.h"
#include "base/signal_name.h"
#include "trace/trace_state.h"

static bool begun, ours;

/* Signal-safe: two words of shared memory and a futex. A forked child that has logged
 * nothing yet has its parent's pool still, and nothing to flush. */
static void flush(int number)
{
	int saved = errno;
	struct spoor_pool *pool = spoor_trace_is_ours() ? spoor_pool : NULL;

	(void)number;
	/* Where calls are counted there may be none. */
	if (pool) {
		__atomic_fetch_add(&pool->posted, 1, __ATOMIC_RELEASE);
		spoor_drainer_call(pool);
	}
	errno = saved;
}

static bool is_default(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) && (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN);
}

static void say_whose(void)
{
	spoor_message("the program has a handler of its own for %s, which asks for no flush: choose another flush_signal",
		      spoor_configuration.flush_signal);
}

void spoor_flush_signal_begin(void)
{
	/* System calls go on, but for those that never do (signal(7)); on the stack that
	 * the program may have for its handlers. */
	struct sigaction action = { .sa_handler = flush, .sa_flags = SA_RESTART | SA_ONSTACK }, before;
	int number;

	if (begun)
		return;
	begun = true;
	number = spoor_signal_number(spoor_configuration.flush_signal);
	if (number <= 0 || sigaction(number, NULL, &before) < 0)
		return;
	sigfillset(&action.sa_mask);
	ours = is_default(&before) && sigaction(number, &action, NULL) == 0;
	if (!ours)
		say_whose();
}

void spoor_flush_signal_end(void)
{
	struct sigaction action;

	if (!ours || sigaction(spoor_signal_number(spoor_configuration.flush_signal), NULL, &action) < 0)
		return;
	/* Back to the default is no handler. */
	if (!is_default(&action) && (action.sa_flags & SA_SIGINFO || action.sa_handler != flush))
		say_whose();
}
