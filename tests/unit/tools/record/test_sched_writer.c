/* SPDX-License-Identifier: MIT */
/* test_sched_writer.c - the reader gets back all changes of all threads that the recorder writes. */
#include "record/sched/sched_writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>

#include "reader/sched/call_targets.h"
#include "reader/sched/thread_calls.h"
#include "tests/unit/support/unit.h"

static char folder[64];
static struct sched_writer writer;
static struct sched_file file;
static int directory;

static void begin(void)
{
	const struct spoor_sched_begin first = { 100, SPOOR_SCHED_HAS_FAULTS | SPOOR_SCHED_HAS_KERNEL_FAULTS, 0 };

	snprintf(folder, sizeof(folder), "/tmp/test_sched_writer.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(sched_writer_begin(&writer, folder, &first), 0);
}

static void read_back(void)
{
	sched_writer_end(&writer);
	directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(sched_file_open(&file, directory, folder), 0);
	ck_assert(file.is_there);
	ck_assert(!file.damaged);
	ck_assert_uint_eq(file.begin.begin_ns, 100);
}

static void end(void)
{
	sched_file_close(&file);
	unlinkat(directory, SPOOR_SCHED_FILE, 0);
	close(directory);
	rmdir(folder);
}

static void add(uint32_t thread_id, enum spoor_sched_kind kind, uint64_t time_ns)
{
	sched_writer_add(&writer, &(struct perf_change){
		.time_ns = time_ns, .process_id = 10, .thread_id = thread_id, .processor = thread_id & 7, .kind = kind,
	});
}

START_TEST(all_changes_of_many_threads_come_back_in_order)
{
	begin();
	for (uint64_t i = 0; i < 2000; i++)
		for (uint32_t thread = 1; thread <= 100; thread++)
			add(thread, i % 2 ? SPOOR_SCHED_OUT : SPOOR_SCHED_IN, 1000000000000 + 1000 * i + thread);
	read_back();
	ck_assert_uint_eq(file.changes, 200000);
	ck_assert_uint_eq(file.lost, 0);
	for (uint32_t thread = 1; thread <= 100; thread++) {
		struct sched_change *changes;

		ck_assert_int_eq(sched_file_load(&file, thread, &changes), 2000);
		for (uint64_t i = 0; i < 2000; i++) {
			ck_assert_uint_eq(changes[i].time_ns, 1000000000000 + 1000 * i + thread);
			ck_assert_uint_eq(changes[i].kind, i % 2 ? SPOOR_SCHED_OUT : SPOOR_SCHED_IN);
			ck_assert_uint_eq(changes[i].processor, thread & 7);
		}
		free(changes);
	}
	end();
}
END_TEST

START_TEST(a_thread_that_ends_frees_its_room)
{
	struct sched_change *changes;

	begin();
	for (uint32_t thread = 1; thread <= 5000; thread++) {
		add(thread, SPOOR_SCHED_IN, 1000000 + thread);
		add(thread, SPOOR_SCHED_ENDED, 2000000 + thread);
	}
	ck_assert_uint_eq(writer.count, 1);
	/* Another thread gets the ID of an ended one. */
	add(7, SPOOR_SCHED_IN, 3000000);
	read_back();
	ck_assert_int_eq(sched_file_load(&file, 7, &changes), 3);
	ck_assert_uint_eq(changes[2].time_ns, 3000000);
	free(changes);
	end();
}
END_TEST

/* Returns the place of a thread's ID in a map of 64 (map64.c). */
static size_t place_of(uint64_t thread_id)
{
	return (size_t)(thread_id * 0x9e3779b97f4a7c15ull >> 20) & 63;
}

START_TEST(a_thread_is_still_known_after_the_end_of_one_with_the_same_place)
{
	uint32_t other = 2;

	while (place_of(other) != place_of(1))
		other++;
	begin();
	add(1, SPOOR_SCHED_IN, 1000);
	add(other, SPOOR_SCHED_IN, 2000);
	add(1, SPOOR_SCHED_ENDED, 3000);
	add(other, SPOOR_SCHED_OUT, 4000);
	ck_assert_uint_eq(writer.unused_count, 1);
	read_back();
	end();
}
END_TEST

START_TEST(hours_without_a_change_begin_another_block)
{
	struct sched_change *changes;

	begin();
	add(1, SPOOR_SCHED_OUT, 1000000000);
	add(1, SPOOR_SCHED_IN, 1000000000 + 48 * UINT64_C(3600000000000));
	read_back();
	ck_assert_int_eq(sched_file_load(&file, 1, &changes), 2);
	ck_assert_uint_eq(changes[1].time_ns - changes[0].time_ns, 48 * UINT64_C(3600000000000));
	free(changes);
	end();
}
END_TEST

START_TEST(an_earlier_change_from_another_processor_keeps_its_time)
{
	struct sched_change *changes;

	begin();
	add(1, SPOOR_SCHED_IN, 100000000000);
	add(1, SPOOR_SCHED_OUT, 99000000000);
	read_back();
	ck_assert_int_eq(sched_file_load(&file, 1, &changes), 2);
	ck_assert_uint_eq(changes[0].time_ns, 99000000000);
	ck_assert_uint_eq(changes[1].time_ns, 100000000000);
	free(changes);
	end();
}
END_TEST

START_TEST(what_a_full_disk_refuses_is_counted_as_lost)
{
	begin();
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 3000, 3000 }), 0);
	for (uint64_t i = 0; i < 1024; i++)
		add(1, SPOOR_SCHED_IN, 1000000 + i);
	sched_writer_end(&writer);
	ck_assert_int_ne(writer.error, 0);
	ck_assert_uint_eq(writer.changes + writer.lost, 1024);
	ck_assert_uint_eq(writer.lost, 1024);
	directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(sched_file_open(&file, directory, folder), 0);
	ck_assert(!file.damaged);
	ck_assert_uint_eq(file.changes, 0);
	end();
}
END_TEST

static void add_call(uint32_t thread_id, int32_t number, bool is_end, uint64_t time_ns, uint64_t value)
{
	sched_writer_call(&writer, &(struct perf_call){
		.time_ns = time_ns, .process_id = 10, .thread_id = thread_id, .number = number, .is_end = is_end, .value = value,
	});
}

static void check_call(const struct thread_calls *calls, size_t at, int32_t number, uint64_t begin_ns, uint64_t end_ns, int64_t result)
{
	ck_assert_uint_lt(at, calls->count);
	ck_assert_int_eq(calls->list[at].number, number);
	ck_assert_uint_eq(calls->list[at].begin_ns, begin_ns);
	ck_assert_uint_eq(calls->list[at].end_ns, end_ns);
	ck_assert_int_eq(calls->list[at].result, result);
}

START_TEST(all_system_calls_of_many_threads_come_back)
{
	struct thread_calls calls = { 0 };

	begin();
	for (uint64_t i = 0; i < 2000; i++)
		for (uint32_t thread = 1; thread <= 20; thread++) {
			add_call(thread, (int32_t)(i % 400), false, 1000000000000 + 1000 * i, UINT64_MAX - i);
			add_call(thread, (int32_t)(i % 400), true, 1000000000000 + 1000 * i + 300, (uint64_t)-(int64_t)i);
		}
	read_back();
	ck_assert_uint_eq(writer.calls, 80000);
	for (uint32_t thread = 1; thread <= 20; thread++) {
		ck_assert_int_eq(thread_calls_read(&calls, &file, thread, 5), 0);
		ck_assert_uint_eq(calls.count, 2000);
		for (uint64_t i = 0; i < 2000; i++) {
			check_call(&calls, i, (int32_t)(i % 400), 1000000000000 + 1000 * i + 5, 1000000000000 + 1000 * i + 305, -(int64_t)i);
			ck_assert_uint_eq(calls.list[i].argument, UINT64_MAX - i);
		}
	}
	thread_calls_free(&calls);
	end();
}
END_TEST

START_TEST(begins_and_ends_of_system_calls_are_joined_despite_losses_and_order)
{
	struct thread_calls calls = { 0 };

	begin();
	/* A new thread's own end of clone(2). */
	add_call(1, 56, true, 900, 0);
	/* The end comes from another processor's ring, which was read first. */
	add_call(1, 1, true, 2000, 7);
	add_call(1, 1, false, 1000, 3);
	/* The kernel has forgotten the number at the end of rt_sigreturn(2). */
	add_call(1, 15, false, 3000, 0);
	add_call(1, -1, true, 3100, 0);
	/* Lost: the end of a read, and the begin of a write. */
	add_call(1, 0, false, 4000, 3);
	add_call(1, 1, true, 5000, 1);
	add_call(1, 0, true, 5500, 2);
	add_call(1, 60, false, 6000, 0);
	read_back();
	ck_assert_int_eq(thread_calls_read(&calls, &file, 1, 0), 0);
	ck_assert_uint_eq(calls.count, 4);
	check_call(&calls, 0, 1, 1000, 2000, 7);
	check_call(&calls, 1, 15, 3000, 3100, 0);
	check_call(&calls, 2, 0, 4000, UINT64_MAX, 0);
	check_call(&calls, 3, 60, 6000, UINT64_MAX, 0);
	ck_assert_ptr_eq(thread_calls_find(&calls, 1500), &calls.list[0]);
	ck_assert_ptr_null(thread_calls_find(&calls, 2500));
	ck_assert_ptr_null(thread_calls_find(&calls, 999));
	thread_calls_free(&calls);
	end();
}
END_TEST

START_TEST(names_of_system_calls_do_not_depend_on_the_readers_architecture)
{
	static const uint8_t names[] = "\x05\0\1read\0\x2c\1\0other";
	char buffer[THREAD_CALL_NAME_MAX];

	begin();
	sched_writer_names(&writer, names, sizeof(names));
	sched_writer_lose_calls(&writer, 7, 0);
	read_back();
	ck_assert_str_eq(thread_call_name(&file, 5, buffer), "read");
	ck_assert_str_eq(thread_call_name(&file, 300, buffer), "other");
	ck_assert_str_eq(thread_call_name(&file, 6, buffer), "syscall_6");
	ck_assert_str_eq(thread_call_name(&file, -1, buffer), "syscall_-1");
	ck_assert_uint_eq(thread_call_flags(&file, 5), SPOOR_SCHED_NAME_DESCRIPTOR);
	ck_assert_uint_eq(thread_call_flags(&file, 300), 0);
	ck_assert_uint_eq(file.lost_calls, 7);
	ck_assert_uint_eq(file.lost, 0);
	end();
}
END_TEST

static void add_whole_call(uint32_t thread_id, int32_t number, uint64_t begin_ns, uint64_t end_ns, uint64_t argument, int64_t result)
{
	add_call(thread_id, number, false, begin_ns, argument);
	add_call(thread_id, number, true, end_ns, (uint64_t)result);
}

static void add_target(int32_t descriptor, uint64_t begin_ns, uint64_t end_ns, const char *name)
{
	sched_writer_target(&writer, 10, &(struct spoor_sched_target){ begin_ns, end_ns, descriptor, 0 }, name);
}

START_TEST(a_name_of_a_descriptor_holds_between_two_changes)
{
	enum { READ, OPEN, CLOSE, EXECVE };
	static const uint8_t names[] = "\0\0\1read\0\1\0\4open\0\2\0\x08""close\0\3\0\x10""execve";

	begin();
	sched_writer_names(&writer, names, sizeof(names));
	add_whole_call(1, OPEN, 1000, 1100, 0, 3);
	add_whole_call(1, READ, 1200, 1300, 3, 1);
	/* Another thread of the process closes it. */
	add_whole_call(2, CLOSE, 2000, 2100, 3, 0);
	add_whole_call(1, OPEN, 2200, 2300, 0, 3);
	add_whole_call(1, OPEN, 2400, 2500, 0, -2);
	add_whole_call(1, EXECVE, 3000, 3100, 0, -2);
	add_whole_call(1, EXECVE, 4000, 4100, 0, 0);
	add_target(3, 1500, 1510, "/first");
	add_target(3, 2050, 2060, "/during a change");
	add_target(3, 2600, 2610, "/second");
	add_target(4, 2600, 2610, "/other");
	add_target(3, 5000, 5010, "/third");
	read_back();
	ck_assert_ptr_null(call_targets_find(&file, 10, 3, 900));
	ck_assert_str_eq(call_targets_find(&file, 10, 3, 1200), "/first");
	ck_assert_str_eq(call_targets_find(&file, 10, 3, 2000), "/first");
	ck_assert_ptr_null(call_targets_find(&file, 10, 3, 2050));
	ck_assert_str_eq(call_targets_find(&file, 10, 3, 2350), "/second");
	/* A call that fails changes nothing. */
	ck_assert_str_eq(call_targets_find(&file, 10, 3, 3500), "/second");
	ck_assert_ptr_null(call_targets_find(&file, 10, 3, 4050));
	ck_assert_str_eq(call_targets_find(&file, 10, 3, 4200), "/third");
	ck_assert_str_eq(call_targets_find(&file, 10, 4, 500), "/other");
	ck_assert_ptr_null(call_targets_find(&file, 10, 4, 4200));
	ck_assert_ptr_null(call_targets_find(&file, 10, 5, 1200));
	ck_assert_ptr_null(call_targets_find(&file, 11, 3, 1200));
	end();
}
END_TEST

START_TEST(after_a_loss_no_descriptor_has_a_name)
{
	begin();
	add_target(3, 1500, 1510, "/first");
	sched_writer_lose_calls(&writer, 1, 0);
	read_back();
	ck_assert_ptr_null(call_targets_find(&file, 10, 3, 1200));
	end();
}
END_TEST

UNIT_MAIN("sched_writer", a_name_of_a_descriptor_holds_between_two_changes, after_a_loss_no_descriptor_has_a_name,
	  all_system_calls_of_many_threads_come_back,
	  begins_and_ends_of_system_calls_are_joined_despite_losses_and_order,
	  names_of_system_calls_do_not_depend_on_the_readers_architecture, all_changes_of_many_threads_come_back_in_order, a_thread_that_ends_frees_its_room,
	  a_thread_is_still_known_after_the_end_of_one_with_the_same_place,
	  hours_without_a_change_begin_another_block, an_earlier_change_from_another_processor_keeps_its_time,
	  what_a_full_disk_refuses_is_counted_as_lost)
