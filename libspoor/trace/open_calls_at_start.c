/* SPDX-License-Identifier: MIT */
/* open_calls_at_start.c - which frames of a stack are calls whose exits will be logged. */
#include "trace/open_calls_at_start.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "module/registry.h"
#include "format/sled.h"
#include "patch/sled_index.h"
#include "trace/trace.h"

#define KNOWN 1024u

struct scratch {
	struct {
		uint64_t function;
		struct spoor_instance *instance;	/* null: in no table */
		uint32_t local;
	} known[KNOWN];
	uint32_t count;
	bool full;
	/* One piece: a block is written as it stands here. */
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

bool spoor_roots_find(const struct spoor_instance *instance, uint64_t function, uint32_t *local)
{
	uint32_t low = 0, high = instance->count;

	/* What is before its sled is a few bytes. */
	if (function + 4096 < instance->text_low || function > instance->text_high)
		return false;
	for (*local = 0; !instance->in_order && *local < high; ++*local)
		if (spoor_function_address(instance, *local) == function)
			return true;
	if (!instance->in_order)
		return false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (spoor_function_address(instance, middle) < function)
			low = middle + 1;
		else
			high = middle;
	}
	*local = low;
	return low < instance->count && spoor_function_address(instance, low) == function;
}

static struct spoor_instance *find(uint64_t function, uint32_t *local)
{
	uint32_t slot = (uint32_t)(function / 16) % KNOWN;

	if (scratch->known[slot].function != function) {
		scratch->known[slot].function = function;
		scratch->known[slot].instance = NULL;
		for (uint32_t i = 0; i < spoor_registry_count() && !scratch->known[slot].instance; i++) {
			struct spoor_instance *instance = spoor_registry_at(i);

			if (instance->dso && instance->awake && spoor_roots_find(instance, function, &scratch->known[slot].local))
				scratch->known[slot].instance = instance;
		}
	}
	*local = scratch->known[slot].local;
	return scratch->known[slot].instance;
}

bool spoor_roots_is_open(const struct spoor_instance *instance, uint32_t local, const struct spoor_stack_frame *frame)
{
	bool entered = false;

	if (!(instance->patched[local / 64] >> (local % 64) & 1))
		return false;
	for (uint32_t i = instance->first_sled[local]; i < instance->first_sled[local + 1]; i++) {
		uint32_t kind = SPOOR_SLED_WORD_KIND(instance->sleds[i]);
		uint64_t sled = (uintptr_t)spoor_sled_at(instance->text_low, instance->sleds[i]);

		if (kind == SPOOR_SLED_ENTRY)
			entered = frame->at >= sled + SPOOR_SLED_BYTES;
		else if (kind != SPOOR_SLED_ALONE && frame->kind == SPOOR_STACK_INTERRUPTED &&
			 spoor_sled_has_logged((uint8_t)kind, frame->at - sled))
			return false;
	}
	return entered;
}

static void add(uint32_t index, uint64_t place)
{
	scratch->full |= scratch->count == SPOOR_ROOTS_MAX;
	if (!scratch->full)
		scratch->list[scratch->count++] = (struct spoor_root){ index, SPOOR_FRAME_BITS(place) };
}

bool spoor_roots_add(const struct spoor_stack_frame *frame)
{
	struct spoor_instance *instance;
	uint32_t local;

	instance = find(frame->function, &local);
	if (instance && spoor_roots_is_open(instance, local, frame))
		add(instance->base + local, frame->place);
	return instance != NULL;
}

void spoor_roots_add_index(uint32_t index)
{
	add(index, 0);
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
	/* The outermost first. */
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
