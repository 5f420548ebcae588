/* SPDX-License-Identifier: MIT */
/* trace_facts_walk.c - walks through the events of each thread: calls, stacks, user events. */
#define _GNU_SOURCE
#include "trace_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int compare_slices(const void *a, const void *b)
{
	const struct spoor_slice_info *x = &((const struct slice *)a)->info, *y = &((const struct slice *)b)->info;

	if (x->thread_serial != y->thread_serial)
		return x->thread_serial < y->thread_serial ? -1 : 1;
	if (x->sequence != y->sequence)
		return x->sequence < y->sequence ? -1 : 1;
	/* Complete slices come first, then the slices that were read last. */
	unsigned int p = ((const struct slice *)a)->partial, q = ((const struct slice *)b)->partial;

	return p == q ? 0 : !p || (q && p > q) ? -1 : 1;
}

struct walk {
	struct open_function {
		uint32_t index, frame;
	} *stack;
	size_t depth;
	uint64_t entries, exits;
	/* The stacks that the thread has switched away from. */
	struct left_stack {
		struct open_function *stack;
		size_t depth;
		uint32_t frame;
	} *left;
	size_t left_count;
	bool gap;	/* calls may be open whose entries were not recorded */
};

/* Handles a switch of stacks. @place: the frame that leaves or continues, and the flag that says which. */
static void walk_switch(struct walk *walk, uint32_t place)
{
	uint32_t frame = place & (SPOOR_SWITCH_GOES_ON - 1);
	size_t at = 0;

	while (at < walk->left_count && walk->left[at].frame != frame)
		at++;
	if (place & SPOOR_SWITCH_GOES_ON) {
		if ((at == walk->left_count || walk->depth) && !walk->gap)
			fault("a stack goes on that was not left, or with %zu calls open", walk->depth);
		if (at == walk->left_count)
			return;
		free(walk->stack);
		walk->stack = walk->left[at].stack;
		walk->depth = walk->left[at].depth;
		walk->left[at] = walk->left[--walk->left_count];
		return;
	}
	if (at < walk->left_count)
		fault("a stack is left twice");
	walk->left = grow(walk->left, walk->left_count, sizeof(*walk->left));
	walk->left[walk->left_count++] = (struct left_stack){ walk->stack, walk->depth, frame };
	walk->stack = NULL;
	walk->depth = 0;
}

/* Handles an exception or longjmp that arrived in the function with this frame. 0 closes all calls. */
static void walk_unwind(struct walk *walk, uint32_t frame)
{
	size_t at = frame ? walk->depth : 0;

	while (at && walk->stack[at - 1].frame != frame)
		at--;
	if (!at && frame)
		return;
	while (walk->depth > at) {
		uint32_t index = walk->stack[--walk->depth].index;
		struct module *module = module_of(index);

		module->unwound[index - module->record.base]++;
	}
}

/* Handles a gap: the thread may have run without being recorded, so its open calls are unknown. */
static void walk_gap(struct walk *walk)
{
	walk_unwind(walk, 0);
	while (walk->left_count)
		free(walk->left[--walk->left_count].stack);
	walk->gap = true;
}

/* Opens the roots of the thread, before a slice (@gap is 0) or after the gap with this time stamp. */
static void walk_roots(struct walk *walk, const struct spoor_slice_info *info, uint64_t gap)
{
	for (size_t i = 0; i < facts.root_count; i++) {
		const struct spoor_roots *record = facts.roots[i].record;
		const struct spoor_root *root = (const struct spoor_root *)(const void *)(record + 1);

		if (record->thread_serial ? record->thread_serial != info->thread_serial
					  : gap || facts.roots[i].thread_id != info->thread_id || info->sequence)
			continue;
		if (gap ? record->counter != gap : record->counter > info->counter || info->sequence)
			continue;
		walk_unwind(walk, 0);
		walk->gap = record->flags & SPOOR_ROOTS_CUT;
		for (uint32_t j = 0; j < record->count; j++) {
			if (!module_of(root[j].index))
				fault("thread %u: a root of no module", info->thread_id);
			walk->stack = grow(walk->stack, walk->depth, sizeof(*walk->stack));
			walk->stack[walk->depth++] = (struct open_function){ root[j].index, root[j].frame };
		}
	}
}

static void walk_event(struct walk *walk, const struct slice *slice, uint32_t code)
{
	uint32_t kind = code >> SPOOR_INDEX_BITS, index = code & SPOOR_INDEX_MAX;
	struct module *module;

	if (kind == SPOOR_EVENT_FRAME) {
		if (walk->depth && !walk->stack[walk->depth - 1].frame)
			walk->stack[walk->depth - 1].frame = index;
		return;
	}
	if (kind == SPOOR_EVENT_UNWIND) {
		walk_unwind(walk, index);
		return;
	}
	if (kind == SPOOR_EVENT_SWITCH) {
		if (!facts.any_nesting)
			walk_switch(walk, index);
		return;
	}
	module = module_of(index);
	if (!module) {
		fault("thread %u: a word of no module: %08x", slice->info.thread_id, code);
		return;
	}
	if (kind == SPOOR_EVENT_ENTRY) {
		walk->stack = grow(walk->stack, walk->depth, sizeof(*walk->stack));
		walk->stack[walk->depth++] = (struct open_function){ .index = index };
		walk->entries++;
		module->entries[index - module->record.base]++;
		return;
	}
	walk->exits++;
	module->exits[index - module->record.base]++;
	if (facts.any_nesting || (!walk->depth && (facts.forked || walk->gap))) {
		walk->depth -= walk->depth > 0;
	} else if (!walk->depth || walk->stack[walk->depth - 1].index != index) {
		fault("thread %u: exit of %s:%u, but %s is open", slice->info.thread_id, module->path,
		      index - module->record.base, walk->depth ? "another function" : "nothing");
	} else {
		walk->depth--;
	}
}

static void walk_user(const struct slice *slice, const uint64_t *words, uint32_t count)
{
	uint64_t payload_1 = (words[1] & 0xffffffffffff) | (words[2] & 0xffff) << 48;

	for (uint32_t i = 0; i < count; i++) {
		if (words[i] >> 60 != 1)
			fault("thread %u: word %u of a user event is %016" PRIx64, slice->info.thread_id, i, words[i]);
	}
	printf("user\t%s\t%u\t%u\t%" PRIu64 "\t%u\t%" PRIu64 "\n", facts.folder, slice->info.thread_id,
	       (uint32_t)(words[2] >> 16), payload_1, (uint32_t)words[3],
	       count > 4 ? words[4] & (SPOOR_USER_MARK - 1) : (uint64_t)0);
}

static void walk_slice(struct walk *walk, const struct slice *slice)
{
	for (uint32_t i = 0; i < slice->count; i++) {
		uint32_t code = (uint32_t)(slice->words[i] >> 32), left = code & SPOOR_INDEX_MAX;

		if (code >> SPOOR_INDEX_BITS != SPOOR_EVENT_EXTENDED) {
			walk_event(walk, slice, code);
			continue;
		}
		if ((uint32_t)slice->words[i] == SPOOR_EXTENDED_TIMED_EVENT && i + 2 < slice->count)
			walk_event(walk, slice, (uint32_t)slice->words[i + 2]);
		if ((uint32_t)slice->words[i] == SPOOR_EXTENDED_GAP) {
			walk_gap(walk);
			walk_roots(walk, &slice->info, slice->words[i + 1]);
		}
		if ((uint32_t)slice->words[i] == SPOOR_EXTENDED_USER && i + left < slice->count && left >= 4)
			walk_user(slice, &slice->words[i + 1], left);
		i += left;
	}
}

void facts_walk_threads(void)
{
	struct slice *slices = facts.slices;
	struct walk walk = { 0 };

	if (facts.slice_count)
		qsort(slices, facts.slice_count, sizeof(*slices), compare_slices);
	for (size_t i = 0; i < facts.slice_count; i++) {
		const struct slice *slice = &slices[i];
		bool first = i == 0 || slices[i - 1].info.thread_serial != slice->info.thread_serial;
		bool last = i + 1 == facts.slice_count || slices[i + 1].info.thread_serial != slice->info.thread_serial;
		const char *name = "";

		if (!first && slices[i - 1].info.sequence == slice->info.sequence) {
			/* The drainer wrote this slice, but the process ended before the pool got the slice back. */
		} else {
			if (slice->info.sequence != (first ? 0 : slices[i - 1].info.sequence + 1) && !facts.any_nesting)
				fault("thread %u: slice %" PRIu64 " comes after %" PRId64, slice->info.thread_id,
				      slice->info.sequence, first ? -1 : (int64_t)slices[i - 1].info.sequence);
			walk_roots(&walk, &slice->info, 0);
			walk_slice(&walk, slice);
		}
		if (!last)
			continue;
		for (size_t j = 0; j < facts.name_count; j++) {
			if (facts.names[j].thread_id == slice->info.thread_id)
				name = facts.names[j].text;
		}
		printf("thread\t%s\t%u\t%u\t%" PRIu64 "\t%" PRIu64 "\t%zu\t%s\n", facts.folder, slice->info.thread_id,
		       slice->info.thread_serial, walk.entries, walk.exits, walk.depth, name);
		walk.depth = 0;
		walk.entries = walk.exits = 0;
		walk.gap = false;
		while (walk.left_count)
			free(walk.left[--walk.left_count].stack);
	}
	free(walk.stack);
	free(walk.left);
}
