/* SPDX-License-Identifier: MIT */
/* disabled_functions.c - writes the blocks about disabled functions, and finds the functions without open calls. */
#include "trace/disabled_functions.h"

#include <limits.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/large.h"
#include "base/memory.h"
#include "base/permanent.h"
#include "base/time_source.h"
#include "event/slices.h"
#include "event/thread.h"
#include "trace/recorded_modules.h"
#include "trace/records.h"

#define HEAD sizeof(struct spoor_block)
#define BODY_MAX (2 * PATH_MAX + 1024)

static uint64_t stored;

static void add_thread(const struct spoor_thread *thread)
{
	uint64_t cursor = __atomic_load_n(&thread->cursor, __ATOMIC_ACQUIRE);
	int64_t slice = spoor_pool ? slice_of(spoor_pool, cursor) : -1;
	bool in_pool = slice >= 0 && slice < spoor_pool->slice_count;
	/* The sequence number tells two uses of one slice apart, even by the same thread. */
	const uint64_t state[] = {
		__atomic_load_n(&thread->serial, __ATOMIC_RELAXED), cursor,
		in_pool ? __atomic_load_n(&spoor_pool_info(spoor_pool, (uint32_t)slice)->sequence, __ATOMIC_RELAXED) : 0,
	};

	stored = XXH3_64bits_withSeed(state, sizeof(state), stored);
}

/* A hash that changes when any thread stores an event. */
static uint64_t stored_so_far(void)
{
	stored = 0;
	spoor_threads_for_each(add_thread);
	return stored;
}

/* States of a module's functions; bits by local ID. Allocated when a function of the module is first
 * enabled or disabled. */
struct switched {
	uint64_t stored;	/* stored_so_far() when `unused` was set */
	uint64_t *unused;	/* functions without an open call at that time */
	size_t bytes;
};

static struct switched *table[SPOOR_MODULES_MAX] SPOOR_LARGE;	/* by the module's position in the registry */

/* A choice in progress that disables functions: the functions that were patched before, and the counter then. */
static struct {
	uint64_t *patched, asked;
} disabling;

static size_t bitmap_bytes(const struct spoor_instance *instance)
{
	return spoor_instance_words(instance) * sizeof(uint64_t);
}

/* Returns null without memory. */
static struct switched *switched_of(const struct spoor_instance *instance)
{
	struct switched **place = &table[instance->position];

	if (!*place)
		*place = spoor_permanent_alloc(sizeof(**place));
	if (*place && !(*place)->unused) {
		(*place)->bytes = bitmap_bytes(instance);
		(*place)->unused = spoor_memory_map((*place)->bytes);
	}
	return *place && (*place)->unused ? *place : NULL;
}

/* A run may include functions that were dormant before: none of them is awake now. */
void spoor_trace_disabled(const struct spoor_instance *instance, const uint64_t *functions, uint64_t asked)
{
	enum { RUNS_MAX = (BODY_MAX - sizeof(struct spoor_disabled)) / sizeof(struct spoor_index_run) };
	static struct {
		uint8_t head[HEAD];
		struct spoor_disabled disabled;
		struct spoor_index_run runs[RUNS_MAX];
	} block SPOOR_LARGE;
	const struct spoor_sleds *sleds = spoor_sleds_at(instance->position);
	size_t runs = 0;
	bool goes_on = false;

	block.disabled = (struct spoor_disabled){ asked, spoor_counter() };
	for (uint32_t word = 0; word < spoor_instance_words(instance); word++) {
		uint64_t awake = sleds->awake.patched[word], gone = functions[word] & ~awake;

		for (uint64_t bits = awake | gone; bits; bits &= bits - 1) {
			uint32_t index = instance->base + 64 * word + (uint32_t)__builtin_ctzll(bits);

			if (!(gone & bits & -bits)) {
				goes_on = false;
				continue;
			}
			if (!goes_on && runs == RUNS_MAX) {
				spoor_trace_append(SPOOR_BLOCK_DISABLED, 0, block.head, sizeof(block) - HEAD);
				runs = 0;
			}
			if (!goes_on)
				block.runs[runs++].first = index;
			block.runs[runs - 1].count = index + 1 - block.runs[runs - 1].first;
			goes_on = true;
		}
	}
	if (runs)
		spoor_trace_append(SPOOR_BLOCK_DISABLED, 0, block.head, sizeof(block.disabled) + runs * sizeof(block.runs[0]));
}

/* Records earlier disabled functions a second time if a thread has stored since: the thread may have been
 * between its time stamp and its store when they were disabled. */
static void enabling(const struct spoor_instance *instance)
{
	const struct spoor_sleds *sleds = spoor_sleds_at(instance->position);
	struct switched *switched = switched_of(instance);
	uint64_t now = stored_so_far();

	if (!switched)
		return;
	if (now != switched->stored) {
		spoor_trace_disabled(instance, switched->unused, spoor_counter());
		memset(switched->unused, 0, bitmap_bytes(instance));
		switched->stored = now;
	}
	for (size_t i = 0; i < spoor_instance_words(instance); i++)
		switched->unused[i] |= sleds->wanted[i] & ~sleds->awake.patched[i];
}

/* Records the functions that are no longer patched. @patched: as before the choice; changed here */
static void disabled(const struct spoor_instance *instance, uint64_t *patched, uint64_t asked)
{
	struct switched *switched = switched_of(instance);
	uint64_t now = stored_so_far();
	bool quiet = switched && now == switched->stored;

	for (size_t i = 0; switched && i < spoor_instance_words(instance); i++) {
		if (quiet) {
			patched[i] &= ~switched->unused[i];
		} else {
			patched[i] |= switched->unused[i];
			switched->unused[i] = 0;
		}
	}
	if (switched)
		switched->stored = now;
	spoor_trace_disabled(instance, patched, asked);
}

static void choosing(struct spoor_instance *instance, enum spoor_choice choice)
{
	const struct spoor_sleds *sleds = spoor_sleds_at(instance->position);

	if (!spoor_module_is_recorded(instance) || !spoor_registry_logs())
		return;
	if (choice == SPOOR_CHOICE_ENABLE) {
		enabling(instance);
		return;
	}
	if (!sleds->enabled)
		return;
	/* Without memory for this bitmap, open calls last in the trace until an outer call returns. */
	disabling.patched = spoor_memory_map(bitmap_bytes(instance));
	disabling.asked = spoor_counter();
	if (disabling.patched)
		memcpy(disabling.patched, sleds->awake.patched, bitmap_bytes(instance));
}

static void chosen(struct spoor_instance *instance, enum spoor_choice choice)
{
	if (choice != SPOOR_CHOICE_DISABLE || !disabling.patched)
		return;
	disabled(instance, disabling.patched, disabling.asked);
	spoor_memory_unmap(disabling.patched, bitmap_bytes(instance));
	disabling.patched = NULL;
}

static bool removed(struct spoor_instance *instance)
{
	struct switched *switched = table[instance->position];

	if (switched) {
		spoor_memory_unmap(switched->unused, switched->bytes);
		switched->unused = NULL;
	}
	return false;
}

const struct spoor_module_observer spoor_disabled_modules = {
	.choosing = choosing,
	.chosen = chosen,
	.removed = removed,
};
