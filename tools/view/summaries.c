/* SPDX-License-Identifier: MIT */
/* summaries.c - adds up the calls of each chunk by path. */
#include "view/summaries.h"

#include <stdlib.h>
#include <string.h>

/* Makes @slots long enough for a node. */
static void make_slots(struct view_summaries *summaries, uint32_t node)
{
	uint32_t count = node < 512 ? 1024 : node > UINT32_MAX / 2 ? UINT32_MAX : 2 * node;
	uint32_t *slots = reallocarray(summaries->slots, count, sizeof(*slots));

	if (!slots)
		view_no_memory();
	memset(slots + summaries->slot_count, 0, (count - summaries->slot_count) * sizeof(*slots));
	summaries->slots = slots;
	summaries->slot_count = count;
}

/* Returns the sums of a path in the current chunk. A slot of an earlier chunk leads to another path, or to none. */
static struct view_sums *sums_of(struct view_summaries *summaries, uint32_t node)
{
	uint32_t at;

	if (node >= summaries->slot_count)
		make_slots(summaries, node);
	at = summaries->slots[node];
	if (at < summaries->count && summaries->sums[at].node == node)
		return &summaries->sums[at];
	if (summaries->count == summaries->capacity) {
		uint32_t capacity = summaries->capacity ? 2 * summaries->capacity : 64;
		struct view_sums *sums = reallocarray(summaries->sums, capacity, sizeof(*sums));

		if (!sums)
			view_no_memory();
		summaries->sums = sums;
		summaries->capacity = capacity;
	}
	summaries->slots[node] = summaries->count;
	summaries->sums[summaries->count] = (struct view_sums){ .node = node, .least = UINT64_MAX };
	return &summaries->sums[summaries->count++];
}

static void widen(struct view_sums *sums, uint64_t least, uint64_t most)
{
	if (least < sums->least)
		sums->least = least;
	if (most > sums->most)
		sums->most = most;
}

static void add_run(struct view_summaries *summaries, const struct view_item *item)
{
	for (uint32_t i = 0; i < item->entry_count; i++) {
		const struct view_entry *entry = &item->entries[i];
		struct view_sums *sums = sums_of(summaries, entry->node);

		sums->items += entry->calls;
		sums->total_ns += entry->total_ns;
		if (entry->calls == 1)
			widen(sums, 2 * entry->total_ns, 2 * entry->total_ns);
		else if (entry->calls)
			widen(sums, 2 * view_log_least(entry->least) + 1, 2 * view_log_most(entry->most) + 1);
	}
}

void view_summaries_add(struct view_summaries *summaries, const struct view_item *item)
{
	uint64_t duration_ns = item->end_ns - item->begin_ns;
	struct view_sums *sums;

	if (item->flags & VIEW_RUN) {
		add_run(summaries, item);
		return;
	}
	sums = sums_of(summaries, item->entries[0].node);
	sums->items++;
	sums->total_ns += duration_ns;
	sums->resumed += (item->flags & VIEW_RESUMED) != 0;
	if (item->flags & VIEW_ROOT) {
		sums->roots++;
		sums->roots_ns += duration_ns;
	} else {
		widen(sums, duration_ns, duration_ns);
	}
}

static int compare_sums(const void *left, const void *right)
{
	const struct view_sums *a = left, *b = right;

	return a->node < b->node ? -1 : a->node > b->node;
}

static void put_sums(struct view_summaries *summaries, const struct view_sums *sums, uint32_t previous_node)
{
	struct view_bytes *columns = summaries->columns;
	uint64_t least = sums->least == UINT64_MAX ? 0 : sums->least;

	view_bytes_number(&columns[1], view_zigzag((uint64_t)sums->node - previous_node));
	view_bytes_number(&columns[2], sums->items);
	view_bytes_number(&columns[3], sums->total_ns);
	view_bytes_number(&columns[4], least);
	view_bytes_number(&columns[5], sums->most - least);
	if (sums->resumed || sums->roots) {
		view_bytes_number(&columns[6], summaries->entries - summaries->exception);
		view_bytes_number(&columns[6], sums->resumed);
		view_bytes_number(&columns[6], sums->roots);
		view_bytes_number(&columns[6], sums->roots_ns);
		summaries->exception = summaries->entries;
	}
	summaries->entries++;
}

void view_summaries_end_chunk(struct view_summaries *summaries, uint64_t begin_ns, uint64_t end_ns)
{
	uint32_t node = 0;

	if (summaries->count)
		qsort(summaries->sums, summaries->count, sizeof(*summaries->sums), compare_sums);
	view_bytes_number(&summaries->columns[0], summaries->count);
	for (uint32_t i = 0; i < summaries->count; i++) {
		put_sums(summaries, &summaries->sums[i], node);
		node = summaries->sums[i].node;
	}
	summaries->count = 0;
	if (!summaries->chunks || begin_ns < summaries->begin_ns)
		summaries->begin_ns = begin_ns;
	if (!summaries->chunks || end_ns > summaries->end_ns)
		summaries->end_ns = end_ns;
	summaries->chunks++;
}

void view_summaries_reset(struct view_summaries *summaries)
{
	for (int i = 0; i < VIEW_SUMMARY_COLUMNS; i++)
		summaries->columns[i].count = 0;
	summaries->chunks = summaries->entries = summaries->exception = 0;
}

void view_summaries_free(struct view_summaries *summaries)
{
	for (int i = 0; i < VIEW_SUMMARY_COLUMNS; i++)
		free(summaries->columns[i].bytes);
	free(summaries->sums);
	free(summaries->slots);
}
