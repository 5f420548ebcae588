/* SPDX-License-Identifier: MIT */
/* test_file_window.c - gives access to any part of a file, and to no byte after its end. */
#include "reader/files/file_window.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/support/unit.h"

#define BYTES (1u << 20)

static char path[] = "/tmp/spoor-test-XXXXXX";
static struct file_window window;
static uint8_t content[BYTES];
static int file;

static void begin(size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		content[i] = (uint8_t)(i * 2654435761u >> 13);
	file = mkstemp(path);
	ck_assert_int_eq(write(file, content, bytes), (ssize_t)bytes);
	ck_assert_int_eq(file_window_open(&window, AT_FDCWD, path), 0);
	ck_assert_uint_eq(window.size, bytes);
}

static void end(void)
{
	file_window_close(&window);
	close(file);
	unlink(path);
}

static void expect(uint64_t offset, size_t bytes)
{
	const uint8_t *at = file_window_at(&window, offset, bytes);

	ck_assert_ptr_nonnull(at);
	ck_assert_mem_eq(at, content + offset, bytes);
}

START_TEST(any_part_is_readable_forwards_and_backwards)
{
	uint64_t random = 1;

	begin(BYTES);
	for (uint64_t offset = 0; offset + 1000 <= BYTES; offset += 999)
		expect(offset, 1000);
	expect(0, 1);
	expect(BYTES - 1, 1);
	expect(0, BYTES);
	expect(1, BYTES - 1);
	for (int i = 0; i < 2000; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		expect(random >> 45, (random >> 20) % (BYTES - (random >> 45) < 5000 ? BYTES - (random >> 45) : 5000));
	}
	end();
}
END_TEST

START_TEST(no_bytes_are_read_after_the_end)
{
	begin(1000);
	ck_assert_ptr_null(file_window_at(&window, 0, 1001));
	ck_assert_ptr_null(file_window_at(&window, 1000, 1));
	ck_assert_ptr_null(file_window_at(&window, 1001, 0));
	ck_assert_ptr_null(file_window_at(&window, UINT64_MAX, 2));
	ck_assert_ptr_null(file_window_at(&window, 2, SIZE_MAX));
	ck_assert_int_eq(window.error, 0);
	expect(0, 1000);
	expect(999, 1);
	end();
}
END_TEST

START_TEST(a_file_that_shrinks_is_shorter_and_no_error)
{
	begin(BYTES);
	ck_assert_int_eq(ftruncate(file, 1000), 0);
	ck_assert_ptr_null(file_window_at(&window, 500, 501));
	ck_assert_ptr_null(file_window_at(&window, 4096, 1));
	ck_assert_int_eq(window.error, 0);
	expect(500, 500);
	end();
}
END_TEST

START_TEST(bytes_that_were_read_stay_until_they_are_forgotten)
{
	begin(1000);
	expect(0, 10);
	ck_assert_int_eq(pwrite(file, "?", 1, 5), 1);
	expect(0, 10);
	file_window_forget(&window);
	ck_assert_uint_eq(file_window_at(&window, 0, 10)[5], '?');
	end();
}
END_TEST

START_TEST(a_failed_read_is_an_error)
{
	begin(1000);
	close(window.fd);
	window.fd = open("/", O_RDONLY | O_DIRECTORY);
	ck_assert_ptr_null(file_window_at(&window, 0, 10));
	ck_assert_int_eq(window.error, -EISDIR);
	end();
}
END_TEST

START_TEST(a_file_that_is_not_regular_is_not_opened)
{
	char fifo[] = "/tmp/spoor-test-fifo-XXXXXX";

	ck_assert_int_eq(file_window_open(&window, AT_FDCWD, "/nowhere"), -ENOENT);
	ck_assert_int_eq(window.fd, -1);
	ck_assert_int_eq(file_window_open(&window, AT_FDCWD, "/dev/null"), -EINVAL);
	ck_assert_int_eq(file_window_open(&window, AT_FDCWD, "/tmp"), -EINVAL);
	close(mkstemp(fifo));
	unlink(fifo);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	ck_assert_int_eq(file_window_open(&window, AT_FDCWD, fifo), -EINVAL);
	ck_assert_int_eq(window.fd, -1);
	file_window_close(&window);
	unlink(fifo);
}
END_TEST

UNIT_MAIN("file_window", any_part_is_readable_forwards_and_backwards, no_bytes_are_read_after_the_end,
	  a_file_that_shrinks_is_shorter_and_no_error, bytes_that_were_read_stay_until_they_are_forgotten,
	  a_failed_read_is_an_error, a_file_that_is_not_regular_is_not_opened)
