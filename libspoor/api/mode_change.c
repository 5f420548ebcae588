/* SPDX-License-Identifier: MIT */
/* mode_change.c - performs the steps of a change of the mode in the right order. */
#include "api/mode_change.h"

#include <errno.h>

#include "event/pool.h"
#include "event/thread.h"
#include "module/registry.h"
#include "probe/semaphores.h"
#include "trace/trace.h"
#include "trace/unrooted_threads.h"

long spoor_mode_sleep(void)
{
	long changed;

	/* Each thread stops recording at one of its events. */
	spoor_threads_turn(SPOOR_RECORDS_NOT);
	changed = spoor_registry_switch(false);
	spoor_mode_log(false);
	spoor_tracepoints_settle();
	/* Not earlier: until the sleds are dormant, threads on the list may still log. */
	spoor_unrooted_threads_forget();
	return changed;
}

/* Prepares the mode for all modules that are awake now, or will be after the change. */
static int cover_all(enum spoor_mode mode)
{
	int error = 0;

	for (uint32_t i = 0; i < spoor_registry_count() && error == 0; i++) {
		if (spoor_instance_sleds(spoor_registry_at(i)))
			error = spoor_mode_cover(mode, spoor_registry_at(i));
	}
	return error;
}

int spoor_mode_change(enum spoor_mode mode)
{
	enum spoor_mode now = spoor_mode_now();
	bool stores = mode == SPOOR_MODE_LOG || mode == SPOOR_MODE_RING;
	int error = 0;

	if (mode == SPOOR_MODE_OFF) {
		spoor_mode_sleep();
		spoor_trace_mode(mode);
		return 0;
	}
	/* A handler stays installed for the whole process, and no trace was begun. */
	if (spoor_mode_is_elsewhere())
		return -EBUSY;
	/* Before any thread sees the new mode. If the trace has not begun, spoor_trace_begin prepares it. */
	if (spoor_trace_is_ours()) {
		error = spoor_trace_provide(mode);
		if (error == 0)
			error = cover_all(mode);
		if (error < 0)
			return error;
		if (stores)
			spoor_ring_set(spoor_pool, mode == SPOOR_MODE_RING);
	}
	/* Mode "order" wakes other sleds than all other modes. */
	if (mode != now && (mode == SPOOR_MODE_ORDER || now == SPOOR_MODE_ORDER))
		spoor_mode_sleep();
	if (mode == SPOOR_MODE_COUNT)
		spoor_threads_turn(SPOOR_COUNTS);
	else if (stores && !spoor_registry_logs())
		spoor_threads_gap();
	/* If no events were recorded so far, the open calls of threads are unknown. */
	if (stores && (!spoor_mode_stores() || !spoor_registry_is_on()))
		spoor_unrooted_threads_collect();
	spoor_mode_set_now(mode);
	spoor_trace_mode(mode);
	spoor_mode_log(true);
	spoor_tracepoints_settle();
	spoor_registry_switch(true);
	spoor_mode_wake();
	return 0;
}
