/* SPDX-License-Identifier: MIT */
/* test_drain.c - slices go through the pool: borrowed, filled, drained, reused. */
#define _GNU_SOURCE
#include "drain/drain.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>

#include "format/block.h"
#include "format/drainer_call.h"
#include "format/mailbox.h"
#include "format/packing.h"
#include "event/pool.h"
#include "tests/unit/support/unit.h"

#define SLICES 64

static struct spoor_thread thread;
static struct spoor_drain *drain;
static int events_fd;
static uint64_t logged;

static void begin(void)
{
	int pool_fd = memfd_create("pool", 0);

	events_fd = memfd_create("events", 0);
	ck_assert_int_ge(pool_fd, 0);
	ck_assert_int_eq(spoor_pool_create(pool_fd, 1, SLICES, &spoor_pool), 0);
	ck_assert_int_eq(spoor_drain_begin(&drain, &(struct spoor_drain_options){ .pool = spoor_pool, .fd = events_fd }), 0);
	thread = (struct spoor_thread){ .process_id = 1, .thread_id = 2, .serial = 3 };
	logged = 0;
}

/* What a trampoline does, in C. */
static uint64_t *reserve(void)
{
	for (;;) {
		uint64_t slot = thread.cursor;

		thread.cursor += 8;
		if (slot & SPOOR_SLICE_BIT)
			return (uint64_t *)slot;
		if (spoor_event_slow(&thread, slot, 1))
			return NULL;
	}
}

static int log_one(void)
{
	uint64_t *slot = reserve();

	if (!slot)
		return 0;
	*slot = SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, logged % 1000, logged);
	logged++;
	return 1;
}

/* Reads the events file back by the slices' sequence: every event in order.
 * Return: how many. */
static uint64_t read_back(void)
{
	static uint64_t unpacked[SPOOR_SLICE_WORDS];
	static uint8_t bytes[8 << 20];
	static ssize_t blocks[4096];
	ssize_t size = pread(events_fd, bytes, sizeof(bytes), 0);
	uint64_t count = 0;

	memset(blocks, 0, sizeof(blocks));
	for (ssize_t at = 0; at < size;) {
		struct spoor_block block;

		memcpy(&block, bytes + at, sizeof(block));
		ck_assert_uint_eq(spoor_block_checksum(bytes + at), block.extension.checksum);
		if (block.extension.kind == SPOOR_BLOCK_EVENTS)
			blocks[block.extension.sequence % 4096] = at;
		at += (ssize_t)(sizeof(block.header) + block.header.payload_bytes);
	}
	for (int i = 0; i < 4096; i++) {
		struct spoor_slice_info info;
		struct spoor_block block;
		uint8_t *body = bytes + blocks[i] + sizeof(block);

		if (!blocks[i])
			continue;
		memcpy(&block, bytes + blocks[i], sizeof(block));
		memcpy(&info, body, sizeof(info));
		ck_assert_int_eq(spoor_unpack(body + sizeof(info),
					      block.header.payload_bytes - sizeof(block.extension) - sizeof(info),
					      (uint32_t)info.counter, unpacked,
					      (size_t)block.header.event_count), 0);
		for (int32_t j = 0; j < block.header.event_count; j++, count++)
			ck_assert_uint_eq(unpacked[j] >> 32 & SPOOR_INDEX_MAX, count % 1000);
	}
	return count;
}

START_TEST(everything_logged_is_drained_in_order)
{
	begin();
	for (int round = 0; round < 40; round++) {
		for (int i = 0; i < 20000; i++)
			ck_assert(log_one());
		spoor_drain_run(drain, 0);
	}
	spoor_slice_leave(&thread);
	spoor_drain_run(drain, 0);
	ck_assert_uint_eq(read_back(), logged);
	ck_assert_uint_eq(spoor_pool->full_count, 0);
	ck_assert_uint_eq(spoor_pool->free[0], UINT64_MAX);
}
END_TEST

START_TEST(blocks_come_in_the_order_of_their_slices_wherever_these_lie)
{
	static uint8_t bytes[8 << 20];
	uint64_t next = 0;
	ssize_t size;

	begin();
	for (int round = 0; round < 20; round++) {
		for (uint32_t i = 0; i < 25 * SPOOR_SLICE_WORDS; i++)
			ck_assert(log_one());
		spoor_drain_run(drain, 0);
	}
	size = pread(events_fd, bytes, sizeof(bytes), 0);
	for (ssize_t at = 0; at < size;) {
		struct spoor_block block;

		memcpy(&block, bytes + at, sizeof(block));
		if (block.extension.kind == SPOOR_BLOCK_EVENTS)
			ck_assert_uint_eq(block.extension.sequence, next++);
		at += (ssize_t)(sizeof(block.header) + block.header.payload_bytes);
	}
	ck_assert_uint_gt(next, 5 * SLICES);
}
END_TEST

START_TEST(a_slice_in_use_is_left_until_the_end_is_final)
{
	begin();
	for (int i = 0; i < 100; i++)
		log_one();
	ck_assert_uint_eq(spoor_drain_run(drain, 0), 0);
	ck_assert_uint_eq(spoor_drain_run(drain, SPOOR_DRAIN_FINAL), 1);
	ck_assert_uint_eq(read_back(), 100);
}
END_TEST

START_TEST(a_full_pool_drops_and_counts_and_goes_on_after_a_drain)
{
	uint64_t lost = 0, before;

	begin();
	for (int i = 0; i < SLICES * (int)SPOOR_SLICE_WORDS + 1000; i++)
		lost += !log_one();
	ck_assert_uint_gt(lost, 0);
	ck_assert_uint_eq(thread.lost, lost);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_POOL_EXHAUSTED], lost);
	before = logged;
	ck_assert_uint_eq(spoor_drain_run(drain, 0), SLICES);
	ck_assert(log_one());
	spoor_drain_run(drain, SPOOR_DRAIN_FINAL);
	ck_assert_uint_eq(logged, before + 1);
	ck_assert_uint_eq(read_back(), logged);
}
END_TEST

START_TEST(an_empty_slot_is_waited_for_and_found_when_it_is_stored)
{
	uint64_t *late;

	begin();
	log_one();
	late = reserve();
	logged++;
	for (int i = 0; i < 10000; i++)
		log_one();
	spoor_slice_leave(&thread);
	spoor_drain_run(drain, 0);
	ck_assert_uint_eq(spoor_drain_totals(drain).postponed, 1);
	*late = SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, 1, 1);
	spoor_drain_run(drain, 0);
	ck_assert_uint_eq(spoor_drain_totals(drain).postponed, 0);
	ck_assert_uint_eq(spoor_drain_totals(drain).events, logged);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_HOLE], 0);
}
END_TEST

START_TEST(a_slice_whose_slot_stays_empty_is_written_and_never_used_again)
{
	uint64_t *never;
	bool reused = false;

	begin();
	log_one();
	never = reserve();
	for (int i = 0; i < 10000; i++)
		log_one();
	spoor_slice_leave(&thread);
	for (int i = 0; i < 60; i++)
		spoor_drain_run(drain, 0);
	ck_assert_uint_eq(spoor_drain_totals(drain).events, logged);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_HOLE], 1);
	for (int round = 0; round < 10; round++) {
		while (log_one())
			reused |= ((uint64_t)never ^ (thread.cursor - 8)) >> 16 == 0;
		ck_assert(!reused);
		spoor_slice_leave(&thread);
		spoor_drain_run(drain, 0);
	}
	ck_assert_uint_eq(__builtin_popcountll(spoor_pool->free[0]), SLICES - 1);
}
END_TEST

static void ask(enum spoor_pool_wish wish)
{
	spoor_pool->wanted = wish;
	spoor_pool->asked++;
	spoor_drain_run(drain, 0);
	ck_assert_uint_eq(spoor_pool->answered, spoor_pool->asked);
	ck_assert_int_eq(spoor_pool->answer, 0);
}

START_TEST(a_flush_writes_slices_in_use_as_far_as_they_are_and_all_of_them_later)
{
	uint64_t bytes;

	begin();
	for (int i = 0; i < 5000; i++)
		ck_assert(log_one());
	ask(SPOOR_WISH_FLUSH);
	ck_assert_uint_eq(read_back(), 5000);
	/* What is there already is not written again. */
	bytes = spoor_drain_totals(drain).file_bytes;
	ask(SPOOR_WISH_FLUSH);
	ck_assert_uint_eq(spoor_drain_totals(drain).file_bytes, bytes);
	for (int i = 0; i < 100; i++)
		ck_assert(log_one());
	ask(SPOOR_WISH_FLUSH);
	ck_assert_uint_eq(read_back(), 5100);
	for (int i = 0; i < 50000; i++)
		ck_assert(log_one());
	spoor_drain_run(drain, SPOOR_DRAIN_FINAL);
	ck_assert_uint_eq(read_back(), 55100);
	ck_assert_uint_eq(spoor_drain_totals(drain).events, 55100);
}
END_TEST

/* The flags of the last block of events, and of the losses'. */
static void flags_are(uint16_t of_events, uint16_t of_losses)
{
	struct spoor_block block;
	uint16_t last = 0xffff, losses = 0xffff;

	for (off_t at = 0; pread(events_fd, &block, sizeof(block), at) == (ssize_t)sizeof(block);
	     at += (off_t)(sizeof(block.header) + block.header.payload_bytes)) {
		if (block.extension.kind == SPOOR_BLOCK_EVENTS)
			last = block.extension.flags;
		else if (block.extension.kind == SPOOR_BLOCK_LOSS)
			losses = block.extension.flags;
	}
	ck_assert_uint_eq(last, of_events);
	ck_assert_uint_eq(losses, of_losses);
}

START_TEST(the_last_slice_of_a_thread_that_is_there_says_so)
{
	begin();
	for (int i = 0; i < 5000; i++)
		ck_assert(log_one());
	spoor_drain_run(drain, 0);
	flags_are(0, 0);
	spoor_drain_run(drain, SPOOR_DRAIN_FINAL | SPOOR_DRAIN_PRESENT);
	spoor_drain_losses(drain);
	flags_are(SPOOR_BLOCK_IN_USE, SPOOR_BLOCK_IN_USE);
	ck_assert_uint_eq(read_back(), 5000);
}
END_TEST

START_TEST(the_last_slice_of_a_thread_that_may_be_gone_does_not)
{
	begin();
	for (int i = 0; i < 5000; i++)
		ck_assert(log_one());
	spoor_drain_run(drain, SPOOR_DRAIN_FINAL);
	spoor_drain_losses(drain);
	flags_are(0, 0);
	ck_assert_uint_eq(read_back(), 5000);
}
END_TEST

START_TEST(a_flush_ends_before_an_empty_slot)
{
	uint64_t *late;

	begin();
	for (int i = 0; i < 10; i++)
		ck_assert(log_one());
	late = reserve();
	logged++;
	for (int i = 0; i < 10; i++)
		ck_assert(log_one());
	ask(SPOOR_WISH_FLUSH);
	ck_assert_uint_eq(read_back(), 10);
	*late = SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, 10, 10);
	ask(SPOOR_WISH_FLUSH);
	ck_assert_uint_eq(read_back(), 21);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_HOLE], 0);
}
END_TEST

START_TEST(a_clear_drops_and_counts_what_no_flush_has_written)
{
	begin();
	for (int i = 0; i < 5000; i++)
		ck_assert(log_one());
	ask(SPOOR_WISH_FLUSH);
	for (int i = 0; i < 100; i++)
		ck_assert(log_one());
	ask(SPOOR_WISH_CLEAR);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_CLEARED], 100);
	ask(SPOOR_WISH_CLEAR);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_CLEARED], 100);
	for (int i = 0; i < 10000; i++)
		ck_assert(log_one());
	ask(SPOOR_WISH_CLEAR);
	for (int i = 0; i < 50; i++)
		ck_assert(log_one());
	spoor_drain_run(drain, SPOOR_DRAIN_FINAL);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_CLEARED], 10100);
	ck_assert_uint_eq(spoor_drain_totals(drain).events, 5050);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_HOLE], 0);
}
END_TEST

START_TEST(a_user_event_looks_like_nothing_else_while_its_first_word_is_missing)
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

START_TEST(a_full_disk_costs_whole_batches_that_are_counted)
{
	struct rlimit limit = { 64 << 10, 64 << 10 };
	uint64_t found;

	signal(SIGXFSZ, SIG_IGN);
	begin();
	for (int i = 0; i < 200000; i++)
		ck_assert(log_one());
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	spoor_drain_run(drain, SPOOR_DRAIN_FINAL);
	ck_assert_int_ne(spoor_drain_totals(drain).error, 0);
	spoor_drain_losses(drain);
	found = read_back();
	ck_assert_uint_eq(found + spoor_pool->lost[SPOOR_LOSS_WRITE], logged);
}
END_TEST

/* A case that hangs from here on is ended by check's time limit. */
START_TEST(a_wake_between_a_drain_and_the_wait_is_not_lost)
{
	begin();
	spoor_drain_run(drain, 0);
	spoor_drain_wake(drain);
	ck_assert(spoor_drain_wait(drain, false));
	ck_assert_uint_eq(spoor_pool->wake, 1);
}
END_TEST

START_TEST(a_wake_ends_one_wait_and_not_the_next)
{
	begin();
	/* So that a wait looks at the clocks, and says so. */
	spoor_pool->counter_is_clock = 0;
	spoor_drain_wake(drain);
	ck_assert(spoor_drain_wait(drain, false));
	spoor_drain_run(drain, 0);
	spoor_pool->begin.steady_ns = spoor_pool->latest.steady_ns;
	ck_assert(!spoor_drain_wait(drain, false));
	ck_assert_uint_eq(spoor_pool->wake, 1);
}
END_TEST

START_TEST(each_request_ends_a_wait_and_the_run_after_it_grants_it)
{
	struct spoor_mail mail = { .command = SPOOR_MAIL_FLUSH };

	begin();
	ck_assert(log_one());
	spoor_pool->wanted = SPOOR_WISH_FLUSH;
	spoor_pool->asked++;
	spoor_drainer_call(spoor_pool);
	ck_assert(spoor_drain_wait(drain, false));
	spoor_drain_run(drain, 0);
	ck_assert_uint_eq(spoor_pool->answered, spoor_pool->asked);
	ck_assert_uint_eq(read_back(), 1);
	ck_assert(log_one());
	spoor_pool->posted++;
	spoor_drainer_call(spoor_pool);
	ck_assert(spoor_drain_wait(drain, false));
	spoor_drain_run(drain, 0);
	ck_assert_uint_eq(read_back(), 2);
	spoor_mailbox_ask(spoor_pool, &mail);
	ck_assert(spoor_drain_wait(drain, false));
}
END_TEST

START_TEST(slices_that_become_full_end_a_wait_even_if_the_drainer_was_running)
{
	begin();
	for (int i = 0; i < 20 * (int)SPOOR_SLICE_WORDS; i++)
		ck_assert(log_one());
	ck_assert_uint_eq(spoor_pool->wake, 0);
	ck_assert(spoor_drain_wait(drain, false));
	/* Between the wait and the run. */
	for (int i = 0; i < 20 * (int)SPOOR_SLICE_WORDS; i++)
		ck_assert(log_one());
	ck_assert(spoor_drain_wait(drain, false));
	ck_assert_uint_ge(spoor_drain_run(drain, 0), 38);
	ck_assert_uint_eq(spoor_pool->wake, 1);
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

START_TEST(the_options_give_the_file_and_hear_of_each_slice_and_the_limit_counts_all_bytes)
{
	struct spoor_drain_limit limit = { .bytes = 1u << 30 };
	struct spoor_drain_options options = {
		.fd = -1, .limit = &limit, .file = find_file, .draining = count_slice, .context = &events_fd,
	};

	begin();
	spoor_drain_end(drain);
	options.pool = spoor_pool;
	file_calls = 0;
	drained_slices = 0;
	ck_assert_int_eq(spoor_drain_begin(&drain, &options), 0);
	ck_assert_int_eq(file_calls, 1);
	spoor_drain_run(drain, 0);
	ck_assert_int_eq(file_calls, 1);	/* there was nothing to write */
	for (int i = 0; i < 3 * (int)SPOOR_SLICE_WORDS; i++)
		ck_assert(log_one());
	ck_assert_uint_eq(spoor_drain_run(drain, SPOOR_DRAIN_FINAL), drained_slices);
	ck_assert_uint_ge(drained_slices, 3);
	ck_assert_int_ge(file_calls, 2);
	ck_assert_uint_eq(limit.used, spoor_drain_totals(drain).file_bytes);
	ck_assert_uint_eq(read_back(), logged);
}
END_TEST

UNIT_MAIN("drain", everything_logged_is_drained_in_order,
	  blocks_come_in_the_order_of_their_slices_wherever_these_lie, a_slice_in_use_is_left_until_the_end_is_final,
	  a_full_pool_drops_and_counts_and_goes_on_after_a_drain,
	  an_empty_slot_is_waited_for_and_found_when_it_is_stored,
	  a_slice_whose_slot_stays_empty_is_written_and_never_used_again,
	  a_flush_writes_slices_in_use_as_far_as_they_are_and_all_of_them_later,
	  the_last_slice_of_a_thread_that_is_there_says_so, the_last_slice_of_a_thread_that_may_be_gone_does_not,
	  a_flush_ends_before_an_empty_slot,
	  a_clear_drops_and_counts_what_no_flush_has_written,
	  a_user_event_looks_like_nothing_else_while_its_first_word_is_missing,
	  a_full_disk_costs_whole_batches_that_are_counted,
	  a_wake_between_a_drain_and_the_wait_is_not_lost, a_wake_ends_one_wait_and_not_the_next,
	  each_request_ends_a_wait_and_the_run_after_it_grants_it,
	  slices_that_become_full_end_a_wait_even_if_the_drainer_was_running,
	  the_options_give_the_file_and_hear_of_each_slice_and_the_limit_counts_all_bytes)
