/* SPDX-License-Identifier: MIT */
/* flush_signal.c - installs the handler that requests a flush, and checks that it stays installed. */
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

static bool begun, is_installed;

/* Signal-safe: changes two words of shared memory and wakes a futex. A forked child that has logged nothing still
 * has its parent's pool, and has nothing to flush. */
static void request_flush(int number)
{
	int saved = errno;
	struct spoor_pool *pool = spoor_trace_is_ours() ? spoor_pool : NULL;

	(void)number;
	/* There is no pool if calls are counted. */
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

static void warn_other_handler(void)
{
	spoor_warning("%s requests no flush: the program handles this signal itself; choose another flush_signal",
		      spoor_configuration.flush_signal);
}

void spoor_flush_signal_begin(void)
{
	/* SA_RESTART: system calls resume, except for those that never do (signal(7)). SA_ONSTACK: the handler
	 * runs on the stack that the program may have for its handlers. */
	struct sigaction action = { .sa_handler = request_flush, .sa_flags = SA_RESTART | SA_ONSTACK }, before;
	int number;

	if (begun)
		return;
	begun = true;
	number = spoor_signal_number(spoor_configuration.flush_signal);
	if (number <= 0 || sigaction(number, NULL, &before) < 0)
		return;
	sigfillset(&action.sa_mask);
	is_installed = is_default(&before) && sigaction(number, &action, NULL) == 0;
	if (!is_installed)
		warn_other_handler();
}

void spoor_flush_signal_end(void)
{
	struct sigaction action;

	if (!is_installed || sigaction(spoor_signal_number(spoor_configuration.flush_signal), NULL, &action) < 0)
		return;
	/* The program may have restored the default action: then there is no other handler. */
	if (!is_default(&action) && (action.sa_flags & SA_SIGINFO || action.sa_handler != request_flush))
		warn_other_handler();
}
