/* SPDX-License-Identifier: MIT */
/* test_thread_sched.c - running, waiting and page faults of a thread are added up exactly. */
#include "reader/sched/thread_sched.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/block.h"
#include "reader/files/process.h"
#include "tests/unit/support/unit.h"

#define THREAD 4711u

static char folder[64];
static int directory = -1, output = -1;
static struct sched_file file;
static struct process process;
static struct thread_sched sched;

struct change {
	enum spoor_sched_kind kind;
	uint64_t time_ns;
};

static void write_block(enum spoor_block_kind kind, uint32_t thread_id, const void *body, size_t bytes)
{
	struct spoor_block_facts facts = { .kind = kind, .thread_id = thread_id };
	uint8_t block[8192];
	size_t size;

	ck_assert_uint_le(sizeof(struct spoor_block) + bytes, sizeof(block));
	memcpy(block + sizeof(struct spoor_block), body, bytes);
	size = spoor_block_seal(block, bytes, &facts);
	ck_assert_int_eq(write(output, block, size), (ssize_t)size);
}

static void write_changes(uint32_t thread_id, uint64_t base_ns, const struct change *changes, size_t count)
{
	struct {
		struct spoor_sched_info info;
		uint64_t words[64];
	} body = { .info.base_ns = base_ns };

	for (size_t i = 0; i < count; i++)
		body.words[i] = spoor_sched_word(changes[i].kind, 3, changes[i].time_ns - base_ns);
	write_block(SPOOR_BLOCK_SCHED, thread_id, &body, sizeof(body.info) + count * sizeof(uint64_t));
}
#define WRITE_CHANGES(thread_id, base_ns, ...)                                                                   \
	write_changes(thread_id, base_ns, (const struct change[]){ __VA_ARGS__ },                                \
		      sizeof((const struct change[]){ __VA_ARGS__ }) / sizeof(struct change))

static void begin(void)
{
	const struct spoor_sched_begin first = { 100, SPOOR_SCHED_HAS_FAULTS, 0 };

	snprintf(folder, sizeof(folder), "/tmp/test_thread_sched.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	output = openat(directory, SPOOR_SCHED_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ck_assert_int_ge(output, 0);
	write_block(SPOOR_BLOCK_SCHED_BEGIN, 0, &first, sizeof(first));
}

static void read_back(void)
{
	close(output);
	ck_assert_int_eq(sched_file_open(&file, directory, folder), 0);
	ck_assert(file.is_there);
	process.sched = &file;
	ck_assert_int_eq(thread_sched_load(&sched, &process, THREAD + process.id_offset), 0);
}

static void end(void)
{
	thread_sched_free(&sched);
	sched_file_close(&file);
	unlinkat(directory, SPOOR_SCHED_FILE, 0);
	close(directory);
	rmdir(folder);
}

static void expect(uint64_t begin_ns, uint64_t end_ns, uint64_t wait_ns, uint64_t preempted_ns, uint64_t faults)
{
	struct sched_spent spent;

	thread_sched_between(&sched, begin_ns, end_ns, &spent);
	ck_assert_uint_eq(spent.wall_ns, end_ns - begin_ns);
	ck_assert_uint_eq(spent.wait_ns, wait_ns);
	ck_assert_uint_eq(spent.preempted_ns, preempted_ns);
	ck_assert_uint_eq(spent.faults, faults);
	ck_assert_uint_eq(sched_cpu_ns(&spent), end_ns - begin_ns - wait_ns - preempted_ns);
}

static void write_typical(void)
{
	WRITE_CHANGES(THREAD, 500, { SPOOR_SCHED_IN, 1000 }, { SPOOR_SCHED_OUT, 2000 }, { SPOOR_SCHED_IN, 2300 },
		      { SPOOR_SCHED_FAULT, 2400 }, { SPOOR_SCHED_PREEMPTED, 3000 });
	WRITE_CHANGES(THREAD + 1, 500, { SPOOR_SCHED_IN, 1000 }, { SPOOR_SCHED_OUT, 1500 });
	WRITE_CHANGES(THREAD, 2000, { SPOOR_SCHED_IN, 3050 }, { SPOOR_SCHED_FAULT, 3060 }, { SPOOR_SCHED_OUT, 4000 });
}

START_TEST(times_are_divided_into_running_waiting_and_preempted)
{
	begin();
	write_typical();
	read_back();
	ck_assert(sched.is_known);
	ck_assert(sched.has_faults);
	expect(1000, 2000, 0, 0, 0);
	expect(1500, 2500, 300, 0, 1);
	expect(1500, 4000, 300, 50, 2);
	expect(2100, 2200, 100, 0, 0);
	expect(3010, 3020, 0, 10, 0);
	expect(2400, 2410, 0, 0, 0);
	expect(2399, 2400, 0, 0, 1);
	end();
}
END_TEST

START_TEST(a_thread_waits_before_it_first_runs_and_after_it_last_ran)
{
	begin();
	write_typical();
	read_back();
	expect(900, 1100, 100, 0, 0);
	expect(3900, 9000, 5000, 0, 0);
	end();
}
END_TEST

START_TEST(steps_through_time_add_up_to_the_whole)
{
	struct sched_spent spent, sum = { 0 }, whole;

	begin();
	write_typical();
	read_back();
	thread_sched_spend(&sched, 1000, &spent);
	for (uint64_t at = 1007; at < 5000; at += 7) {
		struct sched_spent since;

		thread_sched_spend(&sched, at, &spent);
		thread_sched_between(&sched, at - 7, at, &since);
		ck_assert_mem_eq(&spent, &since, sizeof(spent));
		thread_sched_since(&sched, 1234, at, &since);
		thread_sched_between(&sched, 1234, at, &whole);
		if (at > 1234)
			ck_assert_mem_eq(&since, &whole, sizeof(whole));
		sum.wall_ns += spent.wall_ns;
		sum.wait_ns += spent.wait_ns;
		sum.preempted_ns += spent.preempted_ns;
		sum.faults += spent.faults;
	}
	thread_sched_between(&sched, 1000, sched.mark_ns, &whole);
	ck_assert_mem_eq(&sum, &whole, sizeof(sum));
	end();
}
END_TEST

START_TEST(a_step_back_in_time_spends_nothing)
{
	struct sched_spent spent;

	begin();
	write_typical();
	read_back();
	thread_sched_spend(&sched, 2500, &spent);
	thread_sched_spend(&sched, 2200, &spent);
	ck_assert_uint_eq(spent.wall_ns, 0);
	ck_assert_uint_eq(spent.wait_ns, 0);
	thread_sched_spend(&sched, 2600, &spent);
	ck_assert_uint_eq(spent.wall_ns, 100);
	end();
}
END_TEST

START_TEST(changes_of_two_processors_are_sorted)
{
	begin();
	WRITE_CHANGES(THREAD, 500, { SPOOR_SCHED_IN, 1000 }, { SPOOR_SCHED_IN, 3000 }, { SPOOR_SCHED_OUT, 2000 });
	read_back();
	expect(1000, 4000, 1000, 0, 0);
	end();
}
END_TEST

START_TEST(a_thread_that_was_running_at_the_beginning_did_not_wait)
{
	begin();
	WRITE_CHANGES(THREAD, 0, { SPOOR_SCHED_OUT, 1000 }, { SPOOR_SCHED_IN, 1100 });
	read_back();
	expect(500, 2000, 100, 0, 0);
	end();
}
END_TEST

START_TEST(a_lost_switch_does_not_count_a_time_twice)
{
	begin();
	WRITE_CHANGES(THREAD, 0, { SPOOR_SCHED_IN, 100 }, { SPOOR_SCHED_OUT, 1000 }, { SPOOR_SCHED_PREEMPTED, 2000 },
		      { SPOOR_SCHED_IN, 2500 }, { SPOOR_SCHED_IN, 2600 });
	read_back();
	expect(100, 3000, 1500, 0, 0);
	end();
}
END_TEST

START_TEST(losses_of_all_blocks_add_up)
{
	const struct spoor_sched_lost lost[] = { { 1000, 5 }, { 2000, 7 } };

	begin();
	write_block(SPOOR_BLOCK_SCHED_LOST, 0, &lost[0], sizeof(lost[0]));
	write_typical();
	write_block(SPOOR_BLOCK_SCHED_LOST, 0, &lost[1], sizeof(lost[1]));
	read_back();
	ck_assert_uint_eq(file.lost, 12);
	ck_assert_uint_eq(file.changes, 10);
	end();
}
END_TEST

START_TEST(a_thread_that_the_file_does_not_have_is_unknown)
{
	struct sched_spent spent;

	begin();
	WRITE_CHANGES(THREAD + 1, 0, { SPOOR_SCHED_IN, 100 });
	read_back();
	ck_assert(!sched.is_known);
	thread_sched_spend(&sched, 5000, &spent);
	ck_assert_uint_eq(spent.wait_ns, 0);
	end();
}
END_TEST

START_TEST(times_and_IDs_of_another_machine_are_shifted)
{
	process.shift_ns = 1000000;
	process.id_offset = (1u << 22);
	begin();
	write_typical();
	read_back();
	ck_assert(sched.is_known);
	expect(1001500, 1002500, 300, 0, 1);
	end();
}
END_TEST

START_TEST(a_damaged_block_costs_only_its_changes)
{
	struct stat status;

	begin();
	write_typical();
	ck_assert_int_eq(fstat(output, &status), 0);
	close(output);
	output = openat(directory, SPOOR_SCHED_FILE, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(pwrite(output, "x", 1, status.st_size - 4), 1);
	read_back();
	ck_assert(file.damaged);
	expect(1500, 2500, 300, 0, 1);
	end();
}
END_TEST

static void write_call(uint8_t *at, int32_t number, uint64_t begin_ns, uint64_t end_ns, uint64_t argument)
{
	struct spoor_sched_info info = { .base_ns = begin_ns };

	memcpy(at, &info, sizeof(info));
	at = spoor_leb128_put(at + sizeof(info), (uint64_t)(number + 1) << 1);
	at = spoor_leb128_put(spoor_leb128_put(at, 0), argument);
	at = spoor_leb128_put(at, (uint64_t)(number + 1) << 1 | 1);
	spoor_leb128_put(spoor_leb128_put(at, spoor_zigzag((int64_t)(end_ns - begin_ns))), 0);
}

static void expect_wait(size_t gap, const char *wanted)
{
	char text[SCHED_WAIT_TEXT_MAX] = "";

	ck_assert_uint_lt(gap, sched.gap_count);
	thread_sched_wait_text(&sched, &sched.gaps[gap], true, text);
	ck_assert_str_eq(text, wanted);
}

/* The states D, S, T and D. Only the first wait is within the system call. */
static void write_states(bool with_call)
{
	static const struct { char state; uint64_t begin_ns, end_ns; } waits[] = {
		{ 'D', 2000, 2300 }, { 'S', 3000, 3500 }, { 'T', 4000, 4500 }, { 'D', 5000, 5500 },
	};
	struct {
		struct spoor_sched_info info;
		uint64_t words[13];
	} body = { .words[0] = spoor_sched_word(SPOOR_SCHED_IN, 3, 1000) };
	uint8_t call[64] = { 0 };

	for (size_t i = 0; i < 4; i++) {
		body.words[3 * i + 1] = spoor_sched_word(SPOOR_SCHED_STATE, (uint8_t)waits[i].state, waits[i].begin_ns - 1);
		body.words[3 * i + 2] = spoor_sched_word(SPOOR_SCHED_OUT, 3, waits[i].begin_ns);
		body.words[3 * i + 3] = spoor_sched_word(SPOOR_SCHED_IN, 3, waits[i].end_ns);
	}
	write_block(SPOOR_BLOCK_SCHED, THREAD, &body, sizeof(body));
	write_call(call, 7, 1500, 2400, 3);
	if (with_call)
		write_block(SPOOR_BLOCK_SCHED_CALLS, THREAD, call, sizeof(struct spoor_sched_info) + 7);
}

START_TEST(waits_have_their_states_and_system_calls)
{
	static const uint8_t names[] = "\7\0\1read";

	begin();
	write_states(true);
	write_block(SPOOR_BLOCK_SCHED_NAMES, 0, names, sizeof(names));
	read_back();
	expect_wait(1, "read 3 (D)");
	expect_wait(2, "no system call, such as a page fault (S)");
	expect_wait(3, "state T");
	expect_wait(4, "no system call, such as a page fault (D)");
	end();
}
END_TEST

START_TEST(a_wait_is_in_no_known_system_call_after_a_loss)
{
	const struct spoor_sched_lost lost = { 100, 1 };

	begin();
	write_states(true);
	write_block(SPOOR_BLOCK_SCHED_CALLS_LOST, 0, &lost, sizeof(lost));
	read_back();
	expect_wait(1, "syscall_7 (D)");
	expect_wait(2, "state S");
	end();
}
END_TEST

START_TEST(a_wait_without_system_calls_in_the_trace_has_its_state)
{
	begin();
	write_states(false);
	read_back();
	expect_wait(1, "state D");
	expect_wait(3, "state T");
	end();
}
END_TEST

UNIT_MAIN("thread_sched", waits_have_their_states_and_system_calls, a_wait_is_in_no_known_system_call_after_a_loss,
	  a_wait_without_system_calls_in_the_trace_has_its_state, times_are_divided_into_running_waiting_and_preempted,
	  a_thread_waits_before_it_first_runs_and_after_it_last_ran, steps_through_time_add_up_to_the_whole,
	  a_step_back_in_time_spends_nothing, changes_of_two_processors_are_sorted,
	  a_thread_that_was_running_at_the_beginning_did_not_wait, a_lost_switch_does_not_count_a_time_twice,
	  losses_of_all_blocks_add_up, a_thread_that_the_file_does_not_have_is_unknown,
	  times_and_IDs_of_another_machine_are_shifted, a_damaged_block_costs_only_its_changes)
