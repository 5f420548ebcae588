/* SPDX-License-Identifier: MIT */
/* test_owned_file.c - a file of the runtime stays open and unchanged, even if the program closes or replaces
 * descriptors. */
#define _GNU_SOURCE
#include "base/owned_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/support/unit.h"

static char folder[] = "/tmp/spoor-test-XXXXXX";
static struct spoor_owned_file file;

static void begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(spoor_owned_file_create(&file, folder, "file"), 0);
}

static void end(void)
{
	unlink(file.path);
	rmdir(folder);
}

static int open_null(void)
{
	return open("/dev/null", O_RDWR);
}

START_TEST(a_new_file_is_private_closed_on_exec_and_has_a_high_descriptor)
{
	struct stat status;

	begin();
	ck_assert_int_eq(fstat(file.fd, &status), 0);
	ck_assert_uint_eq(status.st_mode & 0777, 0600);
	ck_assert_int_eq(fcntl(file.fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_ge(file.fd, 500);
	ck_assert_int_eq(spoor_owned_file_fd(&file), file.fd);
	spoor_owned_file_close(&file);
	end();
}
END_TEST

START_TEST(a_new_file_replaces_no_existing_file_and_follows_no_link)
{
	struct spoor_owned_file other;
	char link_path[64];

	begin();
	ck_assert_int_eq(spoor_owned_file_create(&other, folder, "file"), -EEXIST);
	snprintf(link_path, sizeof(link_path), "%s/link", folder);
	ck_assert_int_eq(symlink("/tmp/spoor-test-elsewhere", link_path), 0);
	ck_assert_int_eq(spoor_owned_file_create(&other, folder, "link"), -EEXIST);
	ck_assert_int_eq(access("/tmp/spoor-test-elsewhere", F_OK), -1);
	ck_assert_int_eq(spoor_owned_file_create(&other, "/nowhere", "file"), -ENOENT);
	unlink(link_path);
	spoor_owned_file_close(&file);
	end();
}
END_TEST

START_TEST(with_a_low_limit_the_file_has_the_highest_descriptor)
{
	struct rlimit limit = { 40, 40 };

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	begin();
	ck_assert_int_gt(file.fd, STDERR_FILENO);
	ck_assert_int_ge(file.fd, 31);
	spoor_owned_file_close(&file);
	end();
}
END_TEST

START_TEST(a_new_file_does_not_get_the_number_of_a_closed_standard_stream)
{
	close(STDIN_FILENO);
	begin();
	ck_assert_int_gt(file.fd, STDERR_FILENO);
	spoor_owned_file_close(&file);
	ck_assert_int_eq(open_null(), STDIN_FILENO);
	end();
}
END_TEST

START_TEST(a_closed_descriptor_is_opened_again)
{
	struct stat status;

	begin();
	ck_assert_int_eq(write(file.fd, "a", 1), 1);
	close(file.fd);
	ck_assert_int_ge(spoor_owned_file_fd(&file), 0);
	ck_assert_int_eq(fstat(file.fd, &status), 0);
	ck_assert_int_eq(status.st_size, 1);
	spoor_owned_file_close(&file);
	ck_assert_int_eq(fcntl(file.fd, F_GETFD), -1);
	end();
}
END_TEST

START_TEST(a_descriptor_that_the_program_reused_is_neither_used_nor_closed)
{
	int null = open_null(), number;

	begin();
	number = file.fd;
	ck_assert_int_eq(dup2(null, number), number);
	ck_assert_int_ge(spoor_owned_file_fd(&file), 0);
	ck_assert_int_ne(file.fd, number);
	/* The same happens to the new descriptor. */
	number = file.fd;
	ck_assert_int_eq(dup2(null, number), number);
	spoor_owned_file_close(&file);
	ck_assert_int_ne(fcntl(number, F_GETFD), -1);
	ck_assert_int_eq(file.fd, -1);
	end();
}
END_TEST

START_TEST(another_file_with_the_same_name_is_not_used)
{
	char moved[64];

	begin();
	close(file.fd);
	snprintf(moved, sizeof(moved), "%s/moved", folder);
	ck_assert_int_eq(rename(file.path, moved), 0);
	ck_assert_int_eq(spoor_owned_file_fd(&file), -ENOENT);
	close(open(file.path, O_CREAT | O_WRONLY, 0600));
	ck_assert_int_eq(spoor_owned_file_fd(&file), -ESTALE);
	ck_assert_int_eq(file.fd, -1);
	unlink(file.path);
	ck_assert_int_eq(symlink(moved, file.path), 0);
	ck_assert_int_eq(spoor_owned_file_fd(&file), -ELOOP);
	unlink(moved);
	end();
}
END_TEST

UNIT_MAIN("trace_file", a_new_file_is_private_closed_on_exec_and_has_a_high_descriptor,
	  a_new_file_replaces_no_existing_file_and_follows_no_link,
	  with_a_low_limit_the_file_has_the_highest_descriptor,
	  a_new_file_does_not_get_the_number_of_a_closed_standard_stream,
	  a_closed_descriptor_is_opened_again,
	  a_descriptor_that_the_program_reused_is_neither_used_nor_closed,
	  another_file_with_the_same_name_is_not_used)
