/* SPDX-License-Identifier: MIT */
/* open_calls_at_start.c - finds the frames of a stack that are calls whose exits will be logged. */
#include "trace/open_calls_at_start.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "module/registry.h"
#include "format/sled.h"
#include "patch/sled_index.h"
#include "trace/records.h"

#define KNOWN 1024u

struct scratch {
	struct {
		uint64_t function;
		struct spoor_sleds *sleds;	/* null if no function table has the function */
		uint32_t local;
	} known[KNOWN];
	uint32_t count;
	bool full;
	/* Contiguous: the block is written from here. */
	struct spoor_block head;
	struct spoor_roots record;
	struct spoor_root list[SPOOR_ROOTS_MAX];
};

_Static_assert(offsetof(struct scratch, record) == offsetof(struct scratch, head) + sizeof(struct spoor_block) &&
	       offsetof(struct scratch, list) == offsetof(struct scratch, record) + sizeof(struct spoor_roots), "no padding");

static struct scratch *scratch;

int spoor_roots_begin(void)
{
	if (!scratch)
		scratch = spoor_memory_map(sizeof(*scratch));
	return scratch ? 0 : -ENOMEM;
}

void spoor_roots_end(void)
{
	spoor_memory_unmap(scratch, sizeof(*scratch));
	scratch = NULL;
}

bool spoor_roots_find(const struct spoor_sleds *sleds, uint64_t function, uint32_t *local)
{
	uint32_t low = 0, high = sleds->functions.count;

	/* A function begins a few bytes before its first sled. */
	if (function + 4096 < sleds->text_low || function > sleds->text_high)
		return false;
	for (*local = 0; !sleds->in_order && *local < high; ++*local)
		if (spoor_function_address(&sleds->functions, *local) == function)
			return true;
	if (!sleds->in_order)
		return false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (spoor_function_address(&sleds->functions, middle) < function)
			low = middle + 1;
		else
			high = middle;
	}
	*local = low;
	return low < sleds->functions.count && spoor_function_address(&sleds->functions, low) == function;
}

static struct spoor_sleds *find_sleds(uint64_t function, uint32_t *local)
{
	uint32_t slot = (uint32_t)(function / 16) % KNOWN;

	if (scratch->known[slot].function != function) {
		scratch->known[slot].function = function;
		scratch->known[slot].sleds = NULL;
		for (uint32_t i = 0; i < spoor_registry_count() && !scratch->known[slot].sleds; i++) {
			struct spoor_sleds *sleds = spoor_instance_sleds(spoor_registry_at(i));

			if (sleds && sleds->enabled && spoor_roots_find(sleds, function, &scratch->known[slot].local))
				scratch->known[slot].sleds = sleds;
		}
	}
	*local = scratch->known[slot].local;
	return scratch->known[slot].sleds;
}

bool spoor_roots_is_open(const struct spoor_sleds *sleds, uint32_t local, const struct spoor_stack_frame *frame)
{
	bool entered = false;

	if (!(sleds->awake.patched[local / 64] >> (local % 64) & 1))
		return false;
	for (uint32_t i = sleds->first_sled[local]; i < sleds->first_sled[local + 1]; i++) {
		uint32_t kind = SPOOR_SLED_WORD_KIND(sleds->sleds[i]);
		uint64_t sled = (uintptr_t)spoor_sled_at(sleds->text_low, sleds->sleds[i]);

		if (kind == SPOOR_SLED_ENTRY)
			entered = frame->at >= sled + SPOOR_SLED_BYTES;
		else if (kind != SPOOR_SLED_ALONE && frame->kind == SPOOR_STACK_INTERRUPTED &&
			 spoor_sled_has_logged((uint8_t)kind, frame->at - sled))
			return false;
	}
	return entered;
}

static void add_root(uint32_t index, uint64_t place)
{
	scratch->full |= scratch->count == SPOOR_ROOTS_MAX;
	if (!scratch->full)
		scratch->list[scratch->count++] = (struct spoor_root){ index, SPOOR_FRAME_BITS(place) };
}

bool spoor_roots_add(const struct spoor_stack_frame *frame)
{
	struct spoor_sleds *sleds;
	uint32_t local;

	sleds = find_sleds(frame->function, &local);
	if (sleds && spoor_roots_is_open(sleds, local, frame))
		add_root(spoor_sleds_index_of(sleds, local), frame->place);
	return sleds != NULL;
}

void spoor_roots_add_index(uint32_t index)
{
	add_root(index, 0);
}

void spoor_roots_write(uint32_t thread_id, uint32_t serial, uint64_t counter, bool cut)
{
	uint32_t count = scratch->count;

	scratch->record = (struct spoor_roots){
		.counter = counter,
		.thread_serial = serial,
		.count = count,
		.flags = cut || scratch->full ? SPOOR_ROOTS_CUT : 0,
	};
	/* Reverse the order: the outermost call comes first. */
	for (uint32_t i = 0; i < count / 2; i++) {
		struct spoor_root other = scratch->list[i];

		scratch->list[i] = scratch->list[count - 1 - i];
		scratch->list[count - 1 - i] = other;
	}
	if (count || scratch->record.flags)
		spoor_trace_roots(thread_id, &scratch->head, sizeof(scratch->record) + count * sizeof(scratch->list[0]));
	scratch->count = 0;
	scratch->full = false;
}
