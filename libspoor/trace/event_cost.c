/* SPDX-License-Identifier: MIT */
/*
 * event_cost.c - measures the time of an event by storing events into memory that is no slice.
 *
 * The events take the normal way, through the trampoline of spoor_log_unwind, which can be called like a
 * C function, with the state of a thread that does not exist. If the upper part of the counter changes
 * meanwhile, spoor_event_slow stores full time stamps here as well. It does not reach the pool, because
 * it does not reach the end of a slice.
 */
#define _GNU_SOURCE
#include "trace/event_cost.h"

#include <unistd.h>

#include "base/libc_stack.h"
#include "format/clocks.h"
#include "base/time_source.h"
#include "event/event_path.h"
#include "base/memory.h"

#define ROUND_EVENTS 64u
#define ROUNDS_LEAST 4u		/* the first round fills the caches */
#define ROUNDS_MAX 32u
#define ENOUGH_NS 100000	/* an event in an emulator takes microseconds */

/* An event with a full time stamp, and the word that was reserved before, take four words. */
#define PLACE_BYTES 8192u
_Static_assert(2 * ROUND_EVENTS * 4 * 8 <= PLACE_BYTES && PLACE_BYTES < SPOOR_SLICE_BYTES, "a round has room twice");

/* A piece of memory of this size has one place whose addresses all have SPOOR_SLICE_BIT. */
#define MEMORY_BYTES (2 * (size_t)SPOOR_SLICE_BYTES + PLACE_BYTES)

static uint64_t place_in(const void *memory)
{
	uint64_t next = ((uint64_t)memory + 2 * SPOOR_SLICE_BYTES - 1) & -(uint64_t)(2 * SPOOR_SLICE_BYTES);

	if (next - SPOOR_SLICE_BYTES >= (uint64_t)memory)
		next -= 2 * SPOOR_SLICE_BYTES;
	return next + SPOOR_SLICE_BYTES;
}

/* Returns the time of ROUND_EVENTS events in nanoseconds. */
static int64_t round_ns(struct spoor_thread *thread, uint64_t place)
{
	void (*unwind)(const void *) = (void (*)(const void *))spoor_log_unwind;
	int64_t begin_ns, between_ns, end_ns;

	thread->cursor = place;
	if (!spoor_counter_is_clock)
		thread->quarter = (uint32_t)(spoor_cycles() >> SPOOR_QUARTER_SHIFT);
	begin_ns = spoor_clock_ns(CLOCK_MONOTONIC);
	between_ns = spoor_clock_ns(CLOCK_MONOTONIC);
	for (uint32_t i = 0; i < ROUND_EVENTS; i++)
		unwind(thread);
	end_ns = spoor_clock_ns(CLOCK_MONOTONIC);
	/* Subtract the time of reading the clock. */
	return end_ns - between_ns - (between_ns - begin_ns);
}

static int64_t least_ns(uint64_t place)
{
	struct spoor_thread probe_thread = {
		.process_id = (uint32_t)getpid(),
		.quarter = SPOOR_QUARTER_NEVER,
		.gaps = __atomic_load_n(&spoor_gaps, __ATOMIC_SEQ_CST),
	};
	struct spoor_thread *logs = spoor_thread;
	int64_t begin_ns = spoor_clock_ns(CLOCK_MONOTONIC), least = 0;
	uint64_t mask = spoor_signals_block();	/* a handler must not log as the measured thread */

	spoor_thread = &probe_thread;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < ROUNDS_MAX; i++) {
		int64_t ns;

		if (i >= ROUNDS_LEAST && spoor_clock_ns(CLOCK_MONOTONIC) - begin_ns > ENOUGH_NS)
			break;
		ns = round_ns(&probe_thread, place);
		if (ns > 0 && (!least || ns < least))
			least = ns;
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	spoor_thread = logs;
	spoor_signals_restore(mask);
	return least;
}

uint64_t spoor_event_cost_ps(void)
{
	static uint64_t cost_ps;	/* under the registry's lock */
	void *memory;

	if (cost_ps)
		return cost_ps;
	memory = spoor_memory_map(MEMORY_BYTES);
	if (!memory)
		return 0;
	cost_ps = (uint64_t)least_ns(place_in(memory)) * 1000 / ROUND_EVENTS;
	spoor_memory_unmap(memory, MEMORY_BYTES);
	return cost_ps;
}
