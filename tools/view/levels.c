/* SPDX-License-Identifier: MIT */
/* levels.c - merges short items of a timeline into runs. */
#include "view/levels.h"

#include <stdlib.h>
#include <string.h>

static struct view_lane *lane_at(struct view_merger *merger, uint32_t lane)
{
	if (lane >= merger->lane_count) {
		uint32_t count = lane < 16 ? 32 : 2 * lane;
		struct view_lane *lanes = reallocarray(merger->lanes, count, sizeof(*lanes));

		if (!lanes)
			view_no_memory();
		memset(lanes + merger->lane_count, 0, (count - merger->lane_count) * sizeof(*lanes));
		merger->lanes = lanes;
		merger->lane_count = count;
	}
	return &merger->lanes[lane];
}

static uint32_t *slot_at(struct view_merger *merger, uint32_t node)
{
	if (node >= merger->slot_count) {
		uint32_t count = node < 512 ? 1024 : 2 * node;
		uint32_t *slots = reallocarray(merger->slots, count, sizeof(*slots));

		if (!slots)
			view_no_memory();
		memset(slots + merger->slot_count, 0, (count - merger->slot_count) * sizeof(*slots));
		merger->slots = slots;
		merger->slot_count = count;
	}
	return &merger->slots[node];
}

/* Adds an entry to the open run, merged with the run's entry of the same node. */
static void add_entry(struct view_merger *merger, struct view_lane *lane, const struct view_entry *from)
{
	struct view_item *open = &lane->open;
	uint32_t *slot = slot_at(merger, from->node);
	struct view_entry *entry;

	if (*slot < open->entry_count && open->entries[*slot].node == from->node) {
		entry = &open->entries[*slot];
		entry->calls += from->calls;
		entry->total_ns += from->total_ns;
		if (from->least < entry->least)
			entry->least = from->least;
		if (from->most > entry->most)
			entry->most = from->most;
		return;
	}
	if (open->entry_count == lane->capacity) {
		uint32_t capacity = lane->capacity ? 2 * lane->capacity : 4;
		struct view_entry *entries = reallocarray(open->entries, capacity, sizeof(*entries));

		if (!entries)
			view_no_memory();
		open->entries = entries;
		lane->capacity = capacity;
	}
	*slot = open->entry_count;
	open->entries[open->entry_count++] = *from;
}

static void flush_lane(struct view_merger *merger, struct view_lane *lane)
{
	if (lane->open.entry_count)
		merger->emit(merger->context, &lane->open);
	lane->open.entry_count = 0;
}

void view_merger_add(struct view_merger *merger, struct view_item *item)
{
	struct view_lane *lane = lane_at(merger, item->lane);
	struct view_item *open = &lane->open;

	if (item->end_ns - item->begin_ns >= merger->resolution_ns) {
		flush_lane(merger, lane);
		merger->emit(merger->context, item);
		return;
	}
	if (open->entry_count && item->begin_ns >= open->begin_ns &&
	    item->end_ns - open->begin_ns < merger->resolution_ns) {
		open->flags = (open->flags | VIEW_RUN) & ~VIEW_TEXTS;
		if (item->end_ns > open->end_ns)
			open->end_ns = item->end_ns;
	} else {
		struct view_entry *entries = open->entries;

		flush_lane(merger, lane);
		*open = *item;
		open->entries = entries;
		open->entry_count = 0;
	}
	for (uint32_t i = 0; i < item->entry_count; i++)
		add_entry(merger, lane, &item->entries[i]);
}

void view_merger_flush(struct view_merger *merger)
{
	for (uint32_t i = 0; i < merger->lane_count; i++)
		flush_lane(merger, &merger->lanes[i]);
}

void view_merger_free(struct view_merger *merger)
{
	for (uint32_t i = 0; i < merger->lane_count; i++)
		free(merger->lanes[i].open.entries);
	free(merger->lanes);
	free(merger->slots);
	*merger = (struct view_merger){ 0 };
}
