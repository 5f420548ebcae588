/* SPDX-License-Identifier: MIT */
/* disabled_functions.c - what the trace is told of functions that are disabled. */
#include "module/disabled_functions.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/time_source.h"
#include "event/slices.h"
#include "event/thread.h"
#include "trace/trace.h"

static uint64_t stored;

static void add_thread(const struct spoor_thread *thread)
{
	uint64_t cursor = __atomic_load_n(&thread->cursor, __ATOMIC_ACQUIRE);
	int64_t slice = spoor_pool ? slice_of(spoor_pool, cursor) : -1;
	bool in_pool = slice >= 0 && slice < spoor_pool->slice_count;
	/* A slice comes again, to the same thread even. */
	const uint64_t state[] = {
		__atomic_load_n(&thread->serial, __ATOMIC_RELAXED), cursor,
		in_pool ? __atomic_load_n(&spoor_pool_info(spoor_pool, (uint32_t)slice)->sequence, __ATOMIC_RELAXED) : 0,
	};

	stored = XXH3_64bits_withSeed(state, sizeof(state), stored);
}

/* Another number once any thread has stored anything. */
static uint64_t stored_so_far(void)
{
	stored = 0;
	spoor_threads_each(add_thread);
	return stored;
}

static size_t words(const struct spoor_instance *instance)
{
	return (instance->count + 63) / 64;
}

/* A thread that stood between its time stamp and its store when a function was disabled was not seen there:
 * it is now. */
void spoor_disabled_waking(struct spoor_instance *instance)
{
	uint64_t now = stored_so_far();

	if (now != instance->stored) {
		spoor_trace_disabled(instance, instance->unused, spoor_counter());
		memset(instance->unused, 0, words(instance) * sizeof(*instance->unused));
		instance->stored = now;
	}
	for (size_t i = 0; i < words(instance); i++)
		instance->unused[i] |= instance->wanted[i] & ~instance->patched[i];
}

void spoor_disabled_tell(struct spoor_instance *instance, uint64_t *patched, uint64_t asked)
{
	uint64_t now = stored_so_far();
	bool quiet = now == instance->stored;

	for (size_t i = 0; i < words(instance); i++) {
		if (quiet) {
			patched[i] &= ~instance->unused[i];
		} else {
			patched[i] |= instance->unused[i];
			instance->unused[i] = 0;
		}
	}
	instance->stored = now;
	spoor_trace_disabled(instance, patched, asked);
}
