/* SPDX-License-Identifier: MIT */
/* test_count_file.c - reads files of counts, and skips invalid ones. */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/files/count_file.h"
#include "format/trace_format.h"
#include "tests/unit/support/unit.h"

static int directory, fd;
static char path[] = "/tmp/spoor-counts-XXXXXX";
static struct count_file counts;

static void begin(uint32_t lanes)
{
	struct spoor_count_header header = {
		.magic = SPOOR_COUNT_MAGIC, .version = SPOOR_TRACE_VERSION, .indexes = SPOOR_COUNT_INDEXES, .lanes = lanes,
	};

	fd = openat(directory, "counts", O_RDWR | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
}

static void put(uint32_t lane, uint32_t index, uint64_t count)
{
	ck_assert_int_eq(pwrite(fd, &count, sizeof(count), (off_t)spoor_count_offset(lane, index)), sizeof(count));
}

static int result(void)
{
	int error;

	close(fd);
	count_file_free(&counts);
	error = count_file_read(&counts, directory, "counts", "counts");
	unlinkat(directory, "counts", 0);
	return error;
}

static void set_up(void)
{
	ck_assert_ptr_nonnull(mkdtemp(path));
	directory = open(path, O_RDONLY | O_DIRECTORY);
}

static void tear_down(void)
{
	count_file_free(&counts);
	close(directory);
	rmdir(path);
}

START_TEST(counts_of_all_lanes_are_added_up)
{
	set_up();
	begin(64);
	put(0, 0, 1);
	put(3, 0, 10);
	put(63, 0, 100);
	put(1, 600, 7);
	put(63, SPOOR_COUNT_INDEXES - 1, 5);
	ck_assert_int_eq(result(), 0);
	ck_assert_uint_eq(counts.counts[0], 111);
	ck_assert_uint_eq(counts.counts[600], 7);
	ck_assert_uint_eq(counts.counts[SPOOR_COUNT_INDEXES - 1], 5);
	ck_assert_uint_eq(counts.end, SPOOR_COUNT_INDEXES);
	ck_assert_uint_eq(counts.functions, 3);
	ck_assert_uint_eq(counts.calls, 123);
	tear_down();
}
END_TEST

START_TEST(lanes_beyond_the_header_count_up_to_the_first_empty_lane)
{
	set_up();
	begin(2);
	put(1, 4, 1);
	put(2, 4, 1);
	put(4, 4, 1);
	ck_assert_int_eq(result(), 0);
	ck_assert_uint_eq(counts.calls, 2);
	ck_assert_uint_eq(counts.end, 5);
	tear_down();
}
END_TEST

START_TEST(a_file_that_ends_early_keeps_its_counts)
{
	set_up();
	begin(64);
	put(0, 9, 2);
	ck_assert_int_eq(ftruncate(fd, (off_t)spoor_count_offset(0, 10) + 3), 0);
	ck_assert_int_eq(result(), 0);
	ck_assert_uint_eq(counts.calls, 2);
	begin(1);
	ck_assert_int_eq(result(), 0);
	ck_assert_uint_eq(counts.calls, 0);
	ck_assert_uint_eq(counts.end, 0);
	tear_down();
}
END_TEST

START_TEST(other_files_are_reported_and_skipped)
{
	struct spoor_count_header header;

	set_up();
	ck_assert_int_eq(count_file_read(&counts, directory, "none", "none"), -ENOENT);
	for (int wrong = 0; wrong < 5; wrong++) {
		begin(1);
		put(0, 1, 1);
		ck_assert_int_eq(pread(fd, &header, sizeof(header), 0), sizeof(header));
		if (wrong == 0)
			header.magic++;
		else if (wrong == 1)
			header.version++;
		else if (wrong == 2)
			header.indexes *= 2;
		else
			header.lanes = wrong == 3 ? 0 : SPOOR_COUNT_LANES_MAX + 1;
		ck_assert_int_eq(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
		ck_assert_int_eq(result(), -EBADMSG);
		ck_assert_ptr_null(counts.counts);
	}
	begin(1);
	ck_assert_int_eq(ftruncate(fd, 11), 0);
	ck_assert_int_eq(result(), -EBADMSG);
	ck_assert_int_eq(mkdirat(directory, "folder", 0700), 0);
	ck_assert_int_lt(count_file_read(&counts, directory, "folder", "folder"), 0);
	unlinkat(directory, "folder", AT_REMOVEDIR);
	tear_down();
}
END_TEST

UNIT_MAIN("count_file", counts_of_all_lanes_are_added_up,
	  lanes_beyond_the_header_count_up_to_the_first_empty_lane,
	  a_file_that_ends_early_keeps_its_counts, other_files_are_reported_and_skipped)
