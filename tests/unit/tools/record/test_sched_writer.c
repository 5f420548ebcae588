/* SPDX-License-Identifier: MIT */
/* test_sched_writer.c - the reader gets back all changes of all threads that the recorder writes. */
#include "record/sched/sched_writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>

#include "reader/sched/sched_file.h"
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

UNIT_MAIN("sched_writer", all_changes_of_many_threads_come_back_in_order, a_thread_that_ends_frees_its_room,
	  hours_without_a_change_begin_another_block, an_earlier_change_from_another_processor_keeps_its_time,
	  what_a_full_disk_refuses_is_counted_as_lost)
