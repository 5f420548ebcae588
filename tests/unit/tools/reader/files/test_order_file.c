/* SPDX-License-Identifier: MIT */
/* test_order_file.c - reads files of first executions, and rejects invalid ones. */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reader/files/order_file.h"
#include "format/trace_format.h"
#include "tests/unit/support/unit.h"

static char path[64];
static int fd;

static void make(const struct spoor_order_header *header, const uint32_t *entries, size_t count)
{
	fd = memfd_create("order", MFD_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ck_assert_int_eq(pwrite(fd, header, sizeof(*header), 0), sizeof(*header));
	ck_assert_int_eq(pwrite(fd, entries, count * 4, SPOOR_ORDER_ENTRIES_OFFSET), (ssize_t)(count * 4));
}

static const struct spoor_order_header good = { .magic = SPOOR_ORDER_MAGIC, .version = SPOOR_TRACE_VERSION, .count = 3 };

START_TEST(entries_are_read_in_their_order)
{
	static const uint32_t entries[] = { 8, 1, 5, 0, 99 };
	struct order_file file;

	make(&good, entries, 5);
	ck_assert_int_eq(order_file_read(&file, AT_FDCWD, path, "order"), 0);
	ck_assert_uint_eq(file.count, 3);
	ck_assert_uint_eq(file.indexes[0], 7);
	ck_assert_uint_eq(file.indexes[1], 0);
	ck_assert_uint_eq(file.indexes[2], 4);
	ck_assert(!file.damaged);
	order_file_free(&file);
	ck_assert_ptr_null(file.indexes);
	close(fd);
}
END_TEST

START_TEST(an_entry_that_was_not_stored_is_skipped)
{
	static const uint32_t entries[] = { 8, 0, 5 };
	struct order_file file;

	make(&good, entries, 3);
	ck_assert_int_eq(order_file_read(&file, AT_FDCWD, path, "order"), 0);
	ck_assert_uint_eq(file.count, 2);
	ck_assert_uint_eq(file.indexes[1], 4);
	order_file_free(&file);
	close(fd);
}
END_TEST

START_TEST(entries_beyond_the_header_are_read_up_to_a_missing_entry)
{
	static const uint32_t entries[1500] = { [0 ... 1099] = 8, [1101] = 99 };
	struct order_file file;

	make(&good, entries, 1500);
	ck_assert_int_eq(order_file_read(&file, AT_FDCWD, path, "order"), 0);
	ck_assert_uint_eq(file.count, 1100);
	order_file_free(&file);
	close(fd);
}
END_TEST

START_TEST(the_beginning_of_a_cut_file_is_read)
{
	static const uint32_t entries[] = { 8, 5 };
	struct order_file file;

	make(&good, entries, 2);
	ck_assert_int_eq(order_file_read(&file, AT_FDCWD, path, "order"), 0);
	ck_assert_uint_eq(file.count, 2);
	ck_assert(file.damaged);
	order_file_free(&file);
	close(fd);
}
END_TEST

START_TEST(an_invalid_index_is_skipped)
{
	static const uint32_t entries[] = { 8, UINT32_MAX, SPOOR_INDEX_MAX + 1u };
	struct order_file file;

	make(&good, entries, 3);
	ck_assert_int_eq(order_file_read(&file, AT_FDCWD, path, "order"), 0);
	ck_assert_uint_eq(file.count, 2);
	ck_assert_uint_eq(file.indexes[1], SPOOR_INDEX_MAX);
	ck_assert(file.damaged);
	order_file_free(&file);
	close(fd);
}
END_TEST

START_TEST(other_files_are_rejected)
{
	struct spoor_order_header header = good;
	struct order_file file;

	header.version++;
	make(&header, NULL, 0);
	ck_assert_int_eq(order_file_read(&file, AT_FDCWD, path, "order"), -EBADMSG);
	close(fd);
	header = good;
	header.magic++;
	make(&header, NULL, 0);
	ck_assert_int_eq(order_file_read(&file, AT_FDCWD, path, "order"), -EBADMSG);
	close(fd);
	ck_assert_int_eq(order_file_read(&file, AT_FDCWD, "/no/such/file", "order"), -ENOENT);
	ck_assert_int_lt(order_file_read(&file, AT_FDCWD, "/", "order"), 0);
	ck_assert_ptr_null(file.indexes);
}
END_TEST

UNIT_MAIN("order_file", entries_are_read_in_their_order, an_entry_that_was_not_stored_is_skipped,
	  entries_beyond_the_header_are_read_up_to_a_missing_entry,
	  the_beginning_of_a_cut_file_is_read, an_invalid_index_is_skipped, other_files_are_rejected)
