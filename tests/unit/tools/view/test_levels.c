/* SPDX-License-Identifier: MIT */
/* test_levels.c - a store returns its items unchanged, and runs have the sums of their calls. */
#include "view/levels.h"

#include <string.h>

#include "tests/unit/support/unit.h"

/* An assertion of the check library writes to a pipe, which is too slow for millions of conditions. */
#define require(condition) ((condition) ? (void)0 : ck_abort_msg("%s", #condition))

#define LANES 3u
#define NODES 40u	/* node n is in lane n % LANES */

static uint64_t seed;

static uint32_t chance(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static struct view_item call(struct view_entry *entry, uint32_t node, uint64_t begin_ns, uint64_t duration_ns)
{
	*entry = (struct view_entry){ .node = node, .calls = 1, .total_ns = duration_ns, .least = view_log(duration_ns),
				      .most = view_log(duration_ns) };
	return (struct view_item){ .begin_ns = begin_ns, .end_ns = begin_ns + duration_ns, .lane = node % LANES,
				   .entry_count = 1, .entries = entry };
}

static void equal(const struct view_item *left, const struct view_item *right)
{
	require(left->begin_ns == right->begin_ns);
	require(left->end_ns == right->end_ns);
	require(left->flags == right->flags);
	require(left->entry_count == right->entry_count);
	for (uint32_t i = 0; i < left->entry_count; i++) {
		require(left->entries[i].node == right->entries[i].node);
		require(left->entries[i].calls == right->entries[i].calls);
		require(left->entries[i].total_ns == right->entries[i].total_ns);
		require(left->entries[i].least == right->entries[i].least);
		require(left->entries[i].most == right->entries[i].most);
	}
	if (!(left->flags & VIEW_RUN) && left->flags & VIEW_PAYLOAD) {
		require(left->payload[0] == right->payload[0]);
		require(left->payload[1] == right->payload[1]);
		require(left->string == right->string);
	}
}

/* Makes item number @i in *@item; the item is the same require time. */
static void make_item(struct view_item *item, struct view_entry *entries, uint32_t i)
{
	seed = i;
	*item = call(entries, chance(1u << 31), (uint64_t)chance(1u << 30) << chance(34), (uint64_t)chance(1000) << chance(40));
	item->flags = i % 3 ? 0 : VIEW_ROOT | VIEW_EARLY;
	if (chance(4) == 0) {
		item->flags = VIEW_PAYLOAD;
		item->payload[0] = UINT64_MAX - i;
		item->payload[1] = i;
		item->string = i % 7;
	} else if (chance(4) == 0) {
		item->flags = VIEW_RUN;
		item->entry_count = 1 + chance(300);
		for (uint32_t at = 0; at < item->entry_count; at++) {
			entries[at] = (struct view_entry){ .node = chance(1u << 31), .calls = chance(3), .total_ns = chance(1u << 20) };
			entries[at].least = entries[at].most = view_log(entries[at].total_ns);
			if (entries[at].calls != 1)
				entries[at].most = 200;
		}
	}
}

START_TEST(a_store_returns_its_items_unchanged)
{
	static struct view_entry entries[300];
	struct view_store store = { 0 };
	struct view_reader reader;
	struct view_item item;
	const uint32_t count = 30000;

	for (uint32_t i = 0; i < count; i++) {
		if (i % 5000 == 0)
			view_store_begin_thread(&store);
		make_item(&item, entries, i);
		view_store_add(&store, &item);
	}
	ck_assert_uint_eq(store.items, count);
	for (int consumes = 0; consumes < 2; consumes++) {
		view_reader_begin(&reader, &store, consumes);
		for (uint32_t i = 0; i < count; i++) {
			if (i % 5000 == 0)
				view_reader_begin_thread(&reader);
			make_item(&item, entries, i);
			equal(view_reader_next(&reader), &item);
		}
		view_reader_end(&reader);
	}
	ck_assert_ptr_null(store.first);
	view_store_free(&store);
}
END_TEST

/* The items that a merger has returned. */
struct seen {
	uint64_t resolution_ns, items, runs;
	uint64_t last_ns[LANES];
	uint64_t calls[NODES], total_ns[NODES];
	uint8_t least[NODES], most[NODES];
	struct view_merger *next;
};

static void see(void *context, struct view_item *item)
{
	struct seen *seen = context;

	require(item->begin_ns >= seen->last_ns[item->lane]);
	seen->last_ns[item->lane] = item->end_ns;
	seen->items++;
	if (item->flags & VIEW_RUN) {
		seen->runs++;
		require(item->end_ns - item->begin_ns < seen->resolution_ns);
	} else {
		require(item->entry_count == 1);
	}
	for (uint32_t i = 0; i < item->entry_count; i++) {
		const struct view_entry *entry = &item->entries[i];

		require(entry->node % LANES == item->lane);
		seen->calls[entry->node] += entry->calls;
		seen->total_ns[entry->node] += entry->total_ns;
		if (entry->least < seen->least[entry->node])
			seen->least[entry->node] = entry->least;
		if (entry->most > seen->most[entry->node])
			seen->most[entry->node] = entry->most;
		for (uint32_t other = 0; other < i; other++)
			require(item->entries[other].node != entry->node);
	}
	if (seen->next)
		view_merger_add(seen->next, item);
}

START_TEST(runs_have_the_calls_and_the_time_of_the_items_in_them)
{
	static struct seen calls, fine, coarse;
	struct view_merger one = { .resolution_ns = 0, .emit = see, .context = &calls };
	struct view_merger two = { .resolution_ns = 1000, .emit = see, .context = &fine };
	struct view_merger three = { .resolution_ns = 16000, .emit = see, .context = &coarse };
	uint64_t at[LANES] = { 0 };

	fine.resolution_ns = 1000;
	coarse.resolution_ns = 16000;
	calls.next = &two;
	fine.next = &three;
	for (uint32_t i = 0; i < NODES; i++)
		calls.least[i] = fine.least[i] = coarse.least[i] = 255;
	seed = 1;
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t node = chance(NODES), lane = node % LANES;
		uint64_t duration_ns = chance(100) == 0 ? chance(100000) : chance(200);
		struct view_entry entry;
		struct view_item item;

		at[lane] += chance(50) == 0 ? chance(30000) : chance(40);
		item = call(&entry, node, at[lane], duration_ns);
		at[lane] += duration_ns;
		view_merger_add(&one, &item);
	}
	view_merger_flush(&one);
	view_merger_flush(&two);
	view_merger_flush(&three);
	ck_assert_uint_eq(calls.items, 100000);
	ck_assert_uint_eq(calls.runs, 0);
	ck_assert_uint_gt(fine.runs, 1000);
	ck_assert_uint_lt(fine.items, calls.items / 3);
	ck_assert_uint_lt(coarse.items, fine.items / 2);
	ck_assert_mem_eq(calls.calls, coarse.calls, sizeof(calls.calls));
	ck_assert_mem_eq(calls.total_ns, coarse.total_ns, sizeof(calls.total_ns));
	ck_assert_mem_eq(calls.calls, fine.calls, sizeof(calls.calls));
	ck_assert_mem_eq(calls.total_ns, fine.total_ns, sizeof(calls.total_ns));
	ck_assert_mem_eq(calls.least, coarse.least, sizeof(calls.least));
	ck_assert_mem_eq(calls.most, coarse.most, sizeof(calls.most));
	view_merger_free(&one);
	view_merger_free(&two);
	view_merger_free(&three);
}
END_TEST

START_TEST(a_duration_in_a_byte_is_never_less_for_a_longer_one)
{
	uint8_t last = 0;

	for (uint64_t ns = 0; ns < 100000; ns++) {
		require(view_log(ns) >= last);
		last = view_log(ns);
	}
	for (unsigned int shift = 17; shift < 64; shift++) {
		for (uint64_t part = 4; part < 8; part++) {
			require(view_log(part << (shift - 2)) > last);
			last = view_log(part << (shift - 2));
			require(last == view_log((part << (shift - 2)) + ((UINT64_C(1) << (shift - 2)) - 1)));
		}
	}
	ck_assert_uint_eq(view_log(UINT64_MAX), 255);
}
END_TEST

START_TEST(differences_of_both_signs_are_unpacked_exactly)
{
	static const uint64_t differences[] = { 0, 1, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN, 12345, -(uint64_t)12345 };

	for (size_t i = 0; i < sizeof(differences) / sizeof(*differences); i++)
		ck_assert_uint_eq(view_unzigzag(view_zigzag(differences[i])), differences[i]);
	ck_assert_uint_eq(view_zigzag(UINT64_MAX), 1);
	ck_assert_uint_eq(view_zigzag(1), 2);
}
END_TEST

UNIT_MAIN("view_levels", a_store_returns_its_items_unchanged,
	  runs_have_the_calls_and_the_time_of_the_items_in_them,
	  a_duration_in_a_byte_is_never_less_for_a_longer_one,
	  differences_of_both_signs_are_unpacked_exactly)
