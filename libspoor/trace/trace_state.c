/* SPDX-License-Identifier: MIT */
/* trace_state.c - answers questions about the current trace. */
#include "trace/trace_state.h"

#include <stddef.h>

#include "base/large.h"
#include "event/thread.h"

struct spoor_trace_state spoor_trace_state SPOOR_LARGE;

bool spoor_trace_is_ours(void)
{
	/* Another thread of a forked child may be in forget_parent, which changes the state first, so read the
	 * state second. */
	if (spoor_threads_forked())
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&spoor_trace_state.state, __ATOMIC_ACQUIRE) == TRACE_OPEN;
}

bool spoor_trace_counts(void)
{
	return spoor_trace_is_ours() && __atomic_load_n(&spoor_trace_state.has_counts, __ATOMIC_ACQUIRE);
}

bool spoor_trace_is_drained_here(void)
{
	return spoor_trace_state.drained_here;
}

const char *spoor_trace_folder(void)
{
	return spoor_trace_is_ours() ? spoor_trace_state.folder : NULL;
}

bool spoor_trace_has_failed(void)
{
	return spoor_trace_state.state == TRACE_FAILED;
}
