/* SPDX-License-Identifier: MIT */
/* mode.c - which mode holds, and what a change of it takes. */
#include "mode/mode.h"

#include <errno.h>

#include "mode/counts.h"
#include "handler/handler_library.h"
#include "handler/xray_in_use.h"
#include "mode/first_uses.h"
#include "event/pool.h"
#include "module/registry.h"
#include "trace/unrooted_threads.h"
#include "api/runtime.h"
#include "event/thread.h"
#include "trace/trace.h"
#include "probe/semaphores.h"

static enum spoor_mode now = SPOOR_MODE_LOG;

enum spoor_mode spoor_mode_now(void)
{
	return __atomic_load_n(&now, __ATOMIC_ACQUIRE);
}

bool spoor_mode_stores(void)
{
	return spoor_mode_now() == SPOOR_MODE_LOG || spoor_mode_now() == SPOOR_MODE_RING;
}

static void point_slots(enum spoor_mode mode)
{
	if (mode == SPOOR_MODE_COUNT)
		spoor_registry_set_trampolines(spoor_count_entry, spoor_count_exit, spoor_count_tail);
	else if (mode == SPOOR_MODE_ORDER)
		spoor_registry_set_trampolines(spoor_order_entry, spoor_count_exit, spoor_count_tail);
	else
		spoor_registry_set_trampolines(spoor_log_entry, spoor_log_exit, spoor_log_tail);
}

void spoor_mode_begin(void)
{
	if (spoor_configuration.mode == SPOOR_MODE_OFF)
		now = spoor_configuration.flush_all_events ? SPOOR_MODE_LOG : SPOOR_MODE_RING;
	else
		now = spoor_configuration.mode;
	point_slots(now);
}

void spoor_mode_wake(void)
{
	spoor_threads_turn(now == SPOOR_MODE_COUNT ? SPOOR_COUNTS :
			   now == SPOOR_MODE_ORDER ? SPOOR_RECORDS_NOT : SPOOR_RECORDS);
}

long spoor_mode_sleep(void)
{
	long changed;

	/* A thread's calls are in the trace up to one of its events. */
	spoor_threads_turn(SPOOR_RECORDS_NOT);
	changed = spoor_registry_switch(false);
	spoor_runtime_log(false);
	spoor_tracepoints_settle();
	/* Not before: until then threads log, that have not so far. */
	spoor_rooted_forget();
	return changed;
}

void spoor_mode_trampolines(void)
{
	if (spoor_mode_stores() && !spoor_registry_logs())
		spoor_threads_gap();
	point_slots(now);
}

int spoor_mode_cover(enum spoor_mode mode, struct spoor_instance *instance)
{
	return mode == SPOOR_MODE_COUNT ? spoor_counts_cover(instance) :
	       mode == SPOOR_MODE_ORDER ? spoor_order_cover(instance) : 0;
}

/* All modules that are awake now, or will be when the sleds are. */
static int cover_all(enum spoor_mode mode)
{
	int error = 0;

	for (uint32_t i = 0; i < spoor_registry_count() && error == 0; i++) {
		if (spoor_registry_at(i)->dso && spoor_registry_at(i)->wanted)
			error = spoor_mode_cover(mode, spoor_registry_at(i));
	}
	return error;
}

int spoor_mode_change(enum spoor_mode mode)
{
	bool stores = mode == SPOOR_MODE_LOG || mode == SPOOR_MODE_RING;
	int error = 0;

	if (mode == SPOOR_MODE_OFF) {
		spoor_mode_sleep();
		spoor_trace_mode(mode);
		return 0;
	}
	/* What is called instead is so for good: no trace was begun. */
	if (spoor_handler_library_is_used() || spoor_objects_are_used())
		return -EBUSY;
	/* Before anybody can see it. Where the trace has not begun, it begins with that. */
	if (spoor_trace_is_ours()) {
		error = spoor_trace_provide(mode);
		if (error == 0)
			error = cover_all(mode);
		if (error < 0)
			return error;
		if (stores)
			spoor_ring_set(spoor_pool, mode == SPOOR_MODE_RING);
	}
	/* Other sleds are awake for order than for all else. */
	if (mode != now && (mode == SPOOR_MODE_ORDER || now == SPOOR_MODE_ORDER))
		spoor_mode_sleep();
	if (mode == SPOOR_MODE_COUNT)
		spoor_threads_turn(SPOOR_COUNTS);
	else if (stores && !spoor_registry_logs())
		spoor_threads_gap();
	/* Where nothing was recorded so far, what threads are in is not known. */
	if (stores && (!spoor_mode_stores() || !spoor_registry_is_on()))
		spoor_rooted_collect();
	__atomic_store_n(&now, mode, __ATOMIC_RELEASE);
	point_slots(mode);
	spoor_trace_mode(mode);
	spoor_runtime_log(true);
	spoor_tracepoints_settle();
	spoor_registry_switch(true);
	spoor_mode_wake();
	return 0;
}
