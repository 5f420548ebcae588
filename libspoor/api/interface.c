/* SPDX-License-Identifier: MIT */
/* interface.c - the functions of spoor.h for choosing functions and switching them, as thin as possible. */
#include <errno.h>

#include "module/adoption.h"
#include "base/libc_stack.h"
#include "base/after_fork.h"
#include "handler/handler_library.h"
#include "api/interface.h"
#include "api/mode_change.h"
#include "handler/handler_slots.h"
#include "library_calls/library_calls.h"
#include "text/pattern.h"
#include "module/registry.h"
#include "trace/unrooted_threads.h"
#include "api/runtime.h"
#include "event/thread.h"
#include "trace/trace.h"
#include "probe/semaphores.h"

/* The last arguments of spoor_set_handler, whatever the mode has been since. */
static spoor_handler *last_handler;
static unsigned int last_flags;

/* A choice, or the switch for all functions: the arguments of a call on another stack. */
struct call {
	enum spoor_choice choice;
	const char *modules, *functions;	/* null: switch all functions */
	long changed;
};

/* Lists the threads that run now, if functions wake that may be open in them: each thread has to record its open
 * calls at its first event. A thread that records already does so after a gap. */
static void collect_open_calls(struct call *call)
{
	bool is_on = spoor_registry_is_on();

	if (is_on ? !spoor_registry_holds() || !spoor_mode_logs() : call->modules != NULL)
		return;
	if (is_on && spoor_registry_logs())
		spoor_threads_gap();
	spoor_unrooted_threads_collect();
}

static void call_on_libc_stack(void *argument)
{
	struct call *call = argument;

	spoor_registry_lock();
	if (call->choice == SPOOR_CHOICE_ENABLE && spoor_runtime_is_begun())
		collect_open_calls(call);
	if (call->modules) {
		call->changed = spoor_registry_choose(call->choice, call->modules, call->functions);
	} else if (!spoor_runtime_is_begun()) {
		call->changed = -ESHUTDOWN;
	} else if (call->choice == SPOOR_CHOICE_DISABLE) {
		if (spoor_mode_logs())
			spoor_trace_mode(SPOOR_MODE_OFF);
		call->changed = spoor_mode_sleep();
	} else {
		spoor_registry_release();
		if (!spoor_mode_logs())
			spoor_trace_mode(spoor_mode_now());
		call->changed = spoor_registry_switch(true);
		spoor_mode_log(true);
		spoor_mode_wake();
		spoor_tracepoints_settle();
	}
	spoor_registry_unlock();
}

static void adopt_on_libc_stack(void *unused)
{
	(void)unused;
	spoor_adopt_modules(true);
}

/* The runtime has begun. */
static void call_and_settle(struct call *call)
{
	long more;

	/* The program may have opened this library with dlopen, after its modules were loaded. They stay dormant until
	 * the call's own choice, so that it knows which functions changed, and which calls are open. */
	if (call->choice == SPOOR_CHOICE_ENABLE && spoor_after_fork_has_linker())
		spoor_libc_stack_call(adopt_on_libc_stack, NULL);
	if (call->choice == SPOOR_CHOICE_ENABLE && (!call->modules || spoor_registry_holds()))
		spoor_unrooted_threads_prepare();
	spoor_libc_stack_call(call_on_libc_stack, call);
	spoor_library_calls_follow();
	more = spoor_handler_library_settle();
	if (call->changed >= 0)
		call->changed += more;
}

static long choose(enum spoor_choice choice, const char *modules, const char *functions)
{
	struct call call = { choice, modules ? modules : "*", functions ? functions : "*", 0 };
	int saved;

	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	if (spoor_patterns_check(call.modules) < 0 || spoor_patterns_check(call.functions) < 0)
		return -EINVAL;
	saved = errno;
	call_and_settle(&call);
	errno = saved;
	return call.changed;
}

EXPORT long spoor_functions_enable(const char *modules, const char *functions)
{
	return choose(SPOOR_CHOICE_ENABLE, modules, functions);
}

EXPORT long spoor_functions_disable(const char *modules, const char *functions)
{
	return choose(SPOOR_CHOICE_DISABLE, modules, functions);
}

static long switch_all(enum spoor_choice choice)
{
	struct call call = { choice, NULL, NULL, 0 };
	int saved;

	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	saved = errno;
	call_and_settle(&call);
	errno = saved;
	return call.changed;
}

EXPORT long spoor_enable(void)
{
	return switch_all(SPOOR_CHOICE_ENABLE);
}

EXPORT long spoor_disable(void)
{
	return switch_all(SPOOR_CHOICE_DISABLE);
}

EXPORT int spoor_is_enabled(void)
{
	return spoor_registry_patched() != 0 ||
	       (spoor_mode_logs() && (spoor_registry_count() == 0 || spoor_registry_has_calls()));
}

int spoor_handler_resume(void)
{
	/* A handler library or XRay's handler stays installed in every mode. */
	if (spoor_mode_is_elsewhere())
		return 0;
	if (!last_handler)
		return -ENOENT;
	/* In mode "order" each sled reports once, and no exit: a handler would miss most calls. */
	if (spoor_mode_now() == SPOOR_MODE_ORDER)
		return -EBUSY;
	spoor_handler_install(last_handler, last_flags);
	return 0;
}

EXPORT int spoor_set_handler(spoor_handler *handler, unsigned int flags)
{
	if (flags & ~(unsigned int)SPOOR_HANDLER_FLAGS)
		return -EINVAL;
	if (spoor_runtime_begin() < 0)
		return -ESHUTDOWN;
	/* For the same reason. */
	if (handler && spoor_mode_now() == SPOOR_MODE_ORDER)
		return -EBUSY;
	spoor_registry_lock();
	last_handler = handler;
	last_flags = flags;
	if (handler || !spoor_handler_library_resume())
		spoor_handler_install(handler, flags);
	spoor_registry_unlock();
	return 0;
}
