/* SPDX-License-Identifier: MIT */
/* test_drain.c - threads borrow slices from the pool and fill them; the drainer writes them and gives them back. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>

#include "format/block.h"
#include "format/packing.h"
#include "tests/unit/support/draining.h"

START_TEST(everything_logged_is_drained_in_order)
{
	draining_begin();
	for (int round = 0; round < 40; round++) {
		for (int i = 0; i < 20000; i++)
			ck_assert(draining_log());
		spoor_drain_run(draining.drain, 0);
	}
	spoor_slice_leave(&draining.thread);
	spoor_drain_run(draining.drain, 0);
	ck_assert_uint_eq(draining_read_back(), draining.logged);
	ck_assert_uint_eq(spoor_pool->full_count, 0);
	ck_assert_uint_eq(spoor_pool->free[0], UINT64_MAX);
}
END_TEST

START_TEST(blocks_are_in_the_order_of_sequence_numbers_for_any_order_in_the_pool)
{
	static uint8_t bytes[8 << 20];
	uint64_t next = 0;
	ssize_t size;

	draining_begin();
	for (int round = 0; round < 20; round++) {
		for (uint32_t i = 0; i < 25 * SPOOR_SLICE_WORDS; i++)
			ck_assert(draining_log());
		spoor_drain_run(draining.drain, 0);
	}
	size = pread(draining.events_fd, bytes, sizeof(bytes), 0);
	for (ssize_t at = 0; at < size;) {
		struct spoor_block block;

		memcpy(&block, bytes + at, sizeof(block));
		if (block.extension.kind == SPOOR_BLOCK_EVENTS)
			ck_assert_uint_eq(block.extension.sequence, next++);
		at += (ssize_t)(sizeof(block.header) + block.header.payload_bytes);
	}
	ck_assert_uint_gt(next, 5 * DRAINING_SLICES);
}
END_TEST

START_TEST(a_slice_in_use_is_not_drained_before_the_final_drain)
{
	draining_begin();
	for (int i = 0; i < 100; i++)
		draining_log();
	ck_assert_uint_eq(spoor_drain_run(draining.drain, 0), 0);
	ck_assert_uint_eq(spoor_drain_run(draining.drain, SPOOR_DRAIN_FINAL), 1);
	ck_assert_uint_eq(draining_read_back(), 100);
}
END_TEST

START_TEST(a_full_pool_drops_and_counts_and_goes_on_after_a_drain)
{
	uint64_t lost = 0, before;

	draining_begin();
	for (int i = 0; i < DRAINING_SLICES * (int)SPOOR_SLICE_WORDS + 1000; i++)
		lost += !draining_log();
	ck_assert_uint_gt(lost, 0);
	ck_assert_uint_eq(draining.thread.lost, lost);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_POOL_EXHAUSTED], lost);
	before = draining.logged;
	ck_assert_uint_eq(spoor_drain_run(draining.drain, 0), DRAINING_SLICES);
	ck_assert(draining_log());
	spoor_drain_run(draining.drain, SPOOR_DRAIN_FINAL);
	ck_assert_uint_eq(draining.logged, before + 1);
	ck_assert_uint_eq(draining_read_back(), draining.logged);
}
END_TEST

START_TEST(the_drainer_waits_for_an_empty_slot_and_sees_its_event)
{
	uint64_t *late;

	draining_begin();
	draining_log();
	late = draining_reserve();
	draining.logged++;
	for (int i = 0; i < 10000; i++)
		draining_log();
	spoor_slice_leave(&draining.thread);
	spoor_drain_run(draining.drain, 0);
	ck_assert_uint_eq(spoor_drain_totals(draining.drain).postponed, 1);
	*late = SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, 1, 1);
	spoor_drain_run(draining.drain, 0);
	ck_assert_uint_eq(spoor_drain_totals(draining.drain).postponed, 0);
	ck_assert_uint_eq(spoor_drain_totals(draining.drain).events, draining.logged);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_HOLE], 0);
}
END_TEST

START_TEST(a_slice_whose_slot_stays_empty_is_written_and_never_used_again)
{
	uint64_t *never;
	bool reused = false;

	draining_begin();
	draining_log();
	never = draining_reserve();
	for (int i = 0; i < 10000; i++)
		draining_log();
	spoor_slice_leave(&draining.thread);
	/* Other threads call for many runs while this thread has no processor. */
	for (int i = 0; i < 600; i++)
		spoor_drain_run(draining.drain, 0);
	ck_assert_uint_eq(spoor_drain_totals(draining.drain).postponed, 1);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_HOLE], 0);
	for (int i = 0; i < 60; i++) {
		draining.drain->options.steady_ahead_ns += SPOOR_POSTPONED_NS;
		spoor_drain_run(draining.drain, 0);
	}
	ck_assert_uint_eq(spoor_drain_totals(draining.drain).postponed, 0);
	ck_assert_uint_eq(spoor_drain_totals(draining.drain).events, draining.logged);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_HOLE], 1);
	for (int round = 0; round < 10; round++) {
		while (draining_log())
			reused |= ((uint64_t)never ^ (draining.thread.cursor - 8)) >> 16 == 0;
		ck_assert(!reused);
		spoor_slice_leave(&draining.thread);
		spoor_drain_run(draining.drain, 0);
	}
	ck_assert_uint_eq(__builtin_popcountll(spoor_pool->free[0]), DRAINING_SLICES - 1);
}
END_TEST

static void ask(enum spoor_pool_wish wish)
{
	spoor_pool->wanted = wish;
	spoor_pool->asked++;
	spoor_drain_run(draining.drain, 0);
	ck_assert_uint_eq(spoor_pool->answered, spoor_pool->asked);
	ck_assert_int_eq(spoor_pool->answer, 0);
}

START_TEST(a_flush_writes_the_stored_part_of_a_slice_and_a_drain_writes_the_rest)
{
	uint64_t bytes;

	draining_begin();
	for (int i = 0; i < 5000; i++)
		ck_assert(draining_log());
	ask(SPOOR_WISH_FLUSH);
	ck_assert_uint_eq(draining_read_back(), 5000);
	/* A second flush does not write the same events again. */
	bytes = spoor_drain_totals(draining.drain).file_bytes;
	ask(SPOOR_WISH_FLUSH);
	ck_assert_uint_eq(spoor_drain_totals(draining.drain).file_bytes, bytes);
	for (int i = 0; i < 100; i++)
		ck_assert(draining_log());
	ask(SPOOR_WISH_FLUSH);
	ck_assert_uint_eq(draining_read_back(), 5100);
	for (int i = 0; i < 50000; i++)
		ck_assert(draining_log());
	spoor_drain_run(draining.drain, SPOOR_DRAIN_FINAL);
	ck_assert_uint_eq(draining_read_back(), 55100);
	ck_assert_uint_eq(spoor_drain_totals(draining.drain).events, 55100);
}
END_TEST

/* Checks the flags of the last block of events, and of the last block of losses. */
static void flags_are(uint16_t of_events, uint16_t of_losses)
{
	struct spoor_block block;
	uint16_t last = 0xffff, losses = 0xffff;

	for (off_t at = 0; pread(draining.events_fd, &block, sizeof(block), at) == (ssize_t)sizeof(block);
	     at += (off_t)(sizeof(block.header) + block.header.payload_bytes)) {
		if (block.extension.kind == SPOOR_BLOCK_EVENTS)
			last = block.extension.flags;
		else if (block.extension.kind == SPOOR_BLOCK_LOSS)
			losses = block.extension.flags;
	}
	ck_assert_uint_eq(last, of_events);
	ck_assert_uint_eq(losses, of_losses);
}

START_TEST(the_last_slice_of_a_running_thread_is_flagged)
{
	draining_begin();
	for (int i = 0; i < 5000; i++)
		ck_assert(draining_log());
	spoor_drain_run(draining.drain, 0);
	flags_are(0, 0);
	spoor_drain_run(draining.drain, SPOOR_DRAIN_FINAL | SPOOR_DRAIN_PRESENT);
	spoor_drain_losses(draining.drain);
	flags_are(SPOOR_BLOCK_IN_USE, SPOOR_BLOCK_IN_USE);
	ck_assert_uint_eq(draining_read_back(), 5000);
}
END_TEST

START_TEST(the_last_slice_of_a_thread_that_may_have_ended_is_not_flagged)
{
	draining_begin();
	for (int i = 0; i < 5000; i++)
		ck_assert(draining_log());
	spoor_drain_run(draining.drain, SPOOR_DRAIN_FINAL);
	spoor_drain_losses(draining.drain);
	flags_are(0, 0);
	ck_assert_uint_eq(draining_read_back(), 5000);
}
END_TEST

START_TEST(a_flush_ends_before_an_empty_slot)
{
	uint64_t *late;

	draining_begin();
	for (int i = 0; i < 10; i++)
		ck_assert(draining_log());
	late = draining_reserve();
	draining.logged++;
	for (int i = 0; i < 10; i++)
		ck_assert(draining_log());
	ask(SPOOR_WISH_FLUSH);
	ck_assert_uint_eq(draining_read_back(), 10);
	*late = SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, 10, 10);
	ask(SPOOR_WISH_FLUSH);
	ck_assert_uint_eq(draining_read_back(), 21);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_HOLE], 0);
}
END_TEST

START_TEST(a_clear_drops_and_counts_events_that_no_flush_has_written)
{
	draining_begin();
	for (int i = 0; i < 5000; i++)
		ck_assert(draining_log());
	ask(SPOOR_WISH_FLUSH);
	for (int i = 0; i < 100; i++)
		ck_assert(draining_log());
	ask(SPOOR_WISH_CLEAR);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_CLEARED], 100);
	ask(SPOOR_WISH_CLEAR);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_CLEARED], 100);
	for (int i = 0; i < 10000; i++)
		ck_assert(draining_log());
	ask(SPOOR_WISH_CLEAR);
	for (int i = 0; i < 50; i++)
		ck_assert(draining_log());
	spoor_drain_run(draining.drain, SPOOR_DRAIN_FINAL);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_CLEARED], 10100);
	ck_assert_uint_eq(spoor_drain_totals(draining.drain).events, 5050);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_HOLE], 0);
}
END_TEST

START_TEST(no_word_of_a_user_event_is_zero_or_looks_like_another_event)
{
	struct spoor_user_event event = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT32_MAX, UINT32_MAX }, back;
	uint64_t words[SPOOR_USER_OWN_TIME_WORDS];

	for (int round = 0; round < 2; round++) {
		spoor_user_pack(&event, words);
		for (uint32_t i = 0; i < SPOOR_USER_OWN_TIME_WORDS; i++)
			ck_assert(words[i] && words[i] >> 61 == 0);
		spoor_user_unpack(words, SPOOR_USER_OWN_TIME_WORDS, &back);
		ck_assert_uint_eq(back.payload_1, event.payload_1);
		ck_assert_uint_eq(back.payload_2, event.payload_2);
		ck_assert_uint_eq(back.type, event.type);
		ck_assert_uint_eq(back.steady_ns, event.steady_ns & ((1ull << 60) - 1));
		memset(&event, 0, sizeof(event));
	}
}
END_TEST

START_TEST(a_full_disk_drops_and_counts_whole_batches)
{
	struct rlimit limit = { 64 << 10, 64 << 10 };
	uint64_t found;

	signal(SIGXFSZ, SIG_IGN);
	draining_begin();
	for (int i = 0; i < 200000; i++)
		ck_assert(draining_log());
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	spoor_drain_run(draining.drain, SPOOR_DRAIN_FINAL);
	ck_assert_int_ne(spoor_drain_totals(draining.drain).error, 0);
	spoor_drain_losses(draining.drain);
	found = draining_read_back();
	ck_assert_uint_eq(found + spoor_pool->lost[SPOOR_LOSS_WRITE], draining.logged);
}
END_TEST

static int file_calls;

static int find_file(void *context)
{
	file_calls++;
	return *(int *)context;
}

static uint32_t drained_slices;

static void count_slice(void *context, uint32_t slice)
{
	(void)context;
	(void)slice;
	drained_slices++;
}

/* Makes all of draining.h, and no drainer yet. Sets the pool, and the file unless it is -1. */
static void begin_without_drainer(struct spoor_drain_options *options)
{
	draining_begin();
	spoor_drain_end(draining.drain);
	options->pool = spoor_pool;
	if (options->fd != -1)
		options->fd = draining.events_fd;
}

START_TEST(the_options_provide_the_file_and_see_each_slice_and_the_limit_counts_all_bytes)
{
	struct spoor_drain_limit limit = { .bytes = 1u << 30 };
	struct spoor_drain_options options = {
		.fd = -1, .limit = &limit, .file = find_file, .draining = count_slice, .context = &draining.events_fd,
	};

	begin_without_drainer(&options);
	file_calls = 0;
	drained_slices = 0;
	ck_assert_int_eq(spoor_drain_begin(&draining.drain, &options), 0);
	ck_assert_int_eq(file_calls, 1);
	spoor_drain_run(draining.drain, 0);
	ck_assert_int_eq(file_calls, 1);	/* there were no events to write */
	for (int i = 0; i < 3 * (int)SPOOR_SLICE_WORDS; i++)
		ck_assert(draining_log());
	ck_assert_uint_eq(spoor_drain_run(draining.drain, SPOOR_DRAIN_FINAL), drained_slices);
	ck_assert_uint_ge(drained_slices, 3);
	ck_assert_int_ge(file_calls, 2);
	ck_assert_uint_eq(limit.used, spoor_drain_totals(draining.drain).file_bytes);
	ck_assert_uint_eq(draining_read_back(), draining.logged);
}
END_TEST

START_TEST(a_drainer_that_begins_at_the_limit_writes_its_losses_and_nothing_else)
{
	struct spoor_drain_limit limit = { .bytes = 4096 };
	struct spoor_drain_options options = { .limit = &limit };
	uint64_t first;

	begin_without_drainer(&options);
	ck_assert_int_eq(spoor_drain_begin(&draining.drain, &options), 0);
	first = limit.used;
	ck_assert_uint_gt(first, 0);
	ck_assert_uint_eq(first, spoor_drain_totals(draining.drain).file_bytes);
	spoor_drain_end(draining.drain);

	limit.used = limit.bytes;
	ck_assert_int_eq(spoor_drain_begin(&draining.drain, &options), 0);
	ck_assert_uint_eq(limit.used, limit.bytes + first);
	ck_assert(!limit.reached);
	for (int i = 0; i < 3 * (int)SPOOR_SLICE_WORDS; i++)
		ck_assert(draining_log());
	spoor_drain_run(draining.drain, SPOOR_DRAIN_FINAL);
	ck_assert(limit.reached);
	spoor_drain_losses(draining.drain);
	ck_assert_uint_eq(spoor_drain_totals(draining.drain).file_bytes, first);
	ck_assert_int_eq(lseek(draining.events_fd, 0, SEEK_END), (off_t)first);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_LIMIT], draining.logged);
	ck_assert_uint_eq(draining_read_back(), 0);
}
END_TEST

START_TEST(a_failed_write_takes_nothing_from_the_limit)
{
	struct rlimit usual, small;
	struct spoor_drain_limit limit = { .bytes = 1u << 30 };
	struct spoor_drain_options options = { .limit = &limit };
	uint64_t first, used[2];

	signal(SIGXFSZ, SIG_IGN);
	begin_without_drainer(&options);
	ck_assert_int_eq(spoor_drain_begin(&draining.drain, &options), 0);
	first = limit.used;
	for (int i = 0; i < 3 * (int)SPOOR_SLICE_WORDS; i++)
		ck_assert(draining_log());
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &usual), 0);
	small = usual;
	small.rlim_cur = 4096;
	/* check writes a file too: no assertions here. */
	setrlimit(RLIMIT_FSIZE, &small);
	for (int attempt = 0; attempt < 2; attempt++) {
		spoor_drain_run(draining.drain, 0);
		used[attempt] = limit.used;
	}
	setrlimit(RLIMIT_FSIZE, &usual);
	ck_assert_int_eq(spoor_drain_totals(draining.drain).error, EFBIG);
	ck_assert_uint_eq(used[0], first);
	ck_assert_uint_eq(used[1], first);

	spoor_drain_run(draining.drain, SPOOR_DRAIN_FINAL);
	ck_assert_uint_gt(limit.used, first);
	ck_assert_uint_eq(limit.used, spoor_drain_totals(draining.drain).file_bytes);
	ck_assert_uint_eq(draining_read_back(), draining.logged);
}
END_TEST

UNIT_MAIN("drain", everything_logged_is_drained_in_order,
	  blocks_are_in_the_order_of_sequence_numbers_for_any_order_in_the_pool,
	  a_slice_in_use_is_not_drained_before_the_final_drain,
	  a_full_pool_drops_and_counts_and_goes_on_after_a_drain,
	  the_drainer_waits_for_an_empty_slot_and_sees_its_event,
	  a_slice_whose_slot_stays_empty_is_written_and_never_used_again,
	  a_flush_writes_the_stored_part_of_a_slice_and_a_drain_writes_the_rest,
	  the_last_slice_of_a_running_thread_is_flagged,
	  the_last_slice_of_a_thread_that_may_have_ended_is_not_flagged, a_flush_ends_before_an_empty_slot,
	  a_clear_drops_and_counts_events_that_no_flush_has_written,
	  no_word_of_a_user_event_is_zero_or_looks_like_another_event,
	  a_full_disk_drops_and_counts_whole_batches,
	  the_options_provide_the_file_and_see_each_slice_and_the_limit_counts_all_bytes,
	  a_drainer_that_begins_at_the_limit_writes_its_losses_and_nothing_else,
	  a_failed_write_takes_nothing_from_the_limit)
