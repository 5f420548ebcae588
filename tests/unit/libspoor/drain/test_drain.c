/* SPDX-License-Identifier: MIT */
/* test_drain.c - threads borrow slices from the pool and fill them; the drainer writes them and gives them back. */
#define _GNU_SOURCE
#include "drain/drain_state.h"

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

/* Reserves a slot for an event, as a trampoline does. */
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

/* Reads the events file in the order of the slices' sequence numbers, and checks that no event is missing.
 * Returns the number of events. */
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
					      (size_t)block.header.event_count, NULL), 0);
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

START_TEST(blocks_are_in_the_order_of_sequence_numbers_for_any_order_in_the_pool)
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

START_TEST(a_slice_in_use_is_not_drained_before_the_final_drain)
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

START_TEST(the_drainer_waits_for_an_empty_slot_and_sees_its_event)
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
	/* Other threads call for many runs while this thread has no processor. */
	for (int i = 0; i < 600; i++)
		spoor_drain_run(drain, 0);
	ck_assert_uint_eq(spoor_drain_totals(drain).postponed, 1);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_HOLE], 0);
	for (int i = 0; i < 60; i++) {
		drain->options.steady_ahead_ns += SPOOR_POSTPONED_NS;
		spoor_drain_run(drain, 0);
	}
	ck_assert_uint_eq(spoor_drain_totals(drain).postponed, 0);
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

START_TEST(a_flush_writes_the_stored_part_of_a_slice_and_a_drain_writes_the_rest)
{
	uint64_t bytes;

	begin();
	for (int i = 0; i < 5000; i++)
		ck_assert(log_one());
	ask(SPOOR_WISH_FLUSH);
	ck_assert_uint_eq(read_back(), 5000);
	/* A second flush does not write the same events again. */
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

/* Checks the flags of the last block of events, and of the last block of losses. */
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

START_TEST(the_last_slice_of_a_running_thread_is_flagged)
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

START_TEST(the_last_slice_of_a_thread_that_may_have_ended_is_not_flagged)
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

START_TEST(a_clear_drops_and_counts_events_that_no_flush_has_written)
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

/* If one of the next tests hangs, check's time limit ends it. */
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
	/* The wait then reads clocks, and counts that it did. */
	spoor_pool->counter_is_clock = 0;
	spoor_drain_wake(drain);
	ck_assert(spoor_drain_wait(drain, false));
	spoor_drain_run(drain, 0);
	spoor_pool->begin.steady_ns = spoor_pool->latest.steady_ns;
	ck_assert(!spoor_drain_wait(drain, false));
	ck_assert_uint_eq(spoor_pool->wake, 1);
}
END_TEST

START_TEST(each_request_ends_a_wait_and_the_next_run_grants_it)
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
	spoor_mailbox_request(spoor_pool, &mail);
	ck_assert(spoor_drain_wait(drain, false));
}
END_TEST

START_TEST(a_slice_that_fills_during_a_run_ends_the_next_wait)
{
	begin();
	for (int i = 0; i < 20 * (int)SPOOR_SLICE_WORDS; i++)
		ck_assert(log_one());
	ck_assert_uint_eq(spoor_pool->wake, 0);
	ck_assert(spoor_drain_wait(drain, false));
	/* The slices fill after the wait and before the run. */
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

START_TEST(the_options_provide_the_file_and_see_each_slice_and_the_limit_counts_all_bytes)
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
	ck_assert_int_eq(file_calls, 1);	/* there were no events to write */
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
	  a_full_disk_drops_and_counts_whole_batches, a_wake_between_a_drain_and_the_wait_is_not_lost,
	  a_wake_ends_one_wait_and_not_the_next, each_request_ends_a_wait_and_the_next_run_grants_it,
	  a_slice_that_fills_during_a_run_ends_the_next_wait,
	  the_options_provide_the_file_and_see_each_slice_and_the_limit_counts_all_bytes)
