/* SPDX-License-Identifier: MIT */
/* test_trace_directory.c - makes an empty place for a recording, and keeps existing files. */
#include "walk/trace_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/support/reading.h"

static char folder[64], place[128], absolute[PATH_MAX];

static void begin(void)
{
	strcpy(folder, reading_folder());
	snprintf(place, sizeof(place), "%s/trace", folder);
	ck_assert(freopen("/dev/null", "w", stderr) != NULL);
}

static int make(void)
{
	return trace_directory_make(place, absolute, sizeof(absolute));
}

/* Writes a trace with one process, whose ID identifies the trace. */
static void write_trace(const char *process_id)
{
	struct trace_writer writer;

	trace_writer_begin(&writer, place, process_id, 1);
	trace_writer_facts(&writer, "name=x", 7);
	trace_writer_end(&writer, true);
}

static bool is_there(const char *below)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, below);
	return access(path, F_OK) == 0;
}

START_TEST(a_new_directory_is_accessible_to_its_owner_only)
{
	struct stat status;

	begin();
	umask(0);
	ck_assert_int_eq(make(), 0);
	ck_assert_int_eq(stat(place, &status), 0);
	ck_assert_uint_eq(status.st_mode & 07777, 0700);
	ck_assert_str_eq(absolute, place);
	ck_assert(trace_directory_is_empty(place));
	trace_directory_discard(place);
	ck_assert(!is_there("trace"));
	reading_remove(folder);
}
END_TEST

START_TEST(a_path_is_made_absolute_and_slashes_at_its_end_are_ignored)
{
	begin();
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(trace_directory_make("trace//", absolute, sizeof(absolute)), 0);
	ck_assert_str_eq(absolute, place);
	ck_assert_int_eq(make(), 0);
	reading_remove(folder);
}
END_TEST

START_TEST(one_older_trace_is_kept)
{
	begin();
	write_trace("1");
	ck_assert(!trace_directory_is_empty(place));
	ck_assert_int_eq(make(), 0);
	write_trace("2");
	trace_directory_done();
	ck_assert_int_eq(make(), 0);
	ck_assert(is_there("trace.old.old/1"));
	write_trace("3");
	trace_directory_done();
	ck_assert(is_there("trace/3"));
	ck_assert(is_there("trace.old/2"));
	ck_assert(!is_there("trace.old.old"));
	reading_remove(folder);
}
END_TEST

START_TEST(a_recorder_that_was_killed_leaves_no_row_of_traces)
{
	begin();
	for (int i = 1; i <= 5; i++) {
		char name[8];

		snprintf(name, sizeof(name), "%d", i);
		write_trace(name);
		ck_assert_int_eq(make(), 0);
	}
	ck_assert(is_there("trace.old/5"));
	ck_assert(is_there("trace.old.old/4"));
	ck_assert(!is_there("trace.old.1"));
	ck_assert(!is_there("trace.old.old.old"));
	reading_remove(folder);
}
END_TEST

START_TEST(both_older_traces_are_restored_if_no_event_was_recorded)
{
	begin();
	write_trace("1");
	ck_assert_int_eq(make(), 0);
	write_trace("2");
	trace_directory_done();
	ck_assert_int_eq(make(), 0);
	trace_directory_discard(place);
	ck_assert(is_there("trace/2"));
	ck_assert(is_there("trace.old/1"));
	ck_assert(!is_there("trace.old.old"));
	reading_remove(folder);
}
END_TEST

START_TEST(an_older_trace_is_restored_if_no_event_was_recorded)
{
	begin();
	write_trace("1");
	ck_assert_int_eq(make(), 0);
	trace_directory_discard(place);
	ck_assert(is_there("trace/1"));
	ck_assert(!is_there("trace.old"));
	reading_remove(folder);
}
END_TEST

START_TEST(a_directory_that_is_no_trace_is_not_moved)
{
	char path[160];

	begin();
	ck_assert_int_eq(mkdir(place, 0700), 0);
	snprintf(path, sizeof(path), "%s/letter", place);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	ck_assert_int_eq(make(), -ENOTEMPTY);
	write_trace("1");
	ck_assert_int_eq(make(), -ENOTEMPTY);
	ck_assert(is_there("trace/letter"));
	ck_assert(is_there("trace/1"));
	ck_assert(!is_there("trace.old"));
	snprintf(place, sizeof(place), "%s/file", folder);
	close(open(place, O_CREAT | O_WRONLY, 0600));
	ck_assert_int_eq(make(), -ENOTDIR);
	ck_assert(is_there("file"));
	reading_remove(folder);
}
END_TEST

START_TEST(an_impossible_path_is_an_error)
{
	char *longer = calloc(1, PATH_MAX + 10), small[4];

	begin();
	memset(longer, 'x', PATH_MAX + 5);
	ck_assert_int_eq(trace_directory_make(longer, absolute, sizeof(absolute)), -ENAMETOOLONG);
	ck_assert_int_eq(trace_directory_make("/nowhere/at/all", absolute, sizeof(absolute)), -ENOENT);
	ck_assert_int_eq(trace_directory_make(place, small, sizeof(small)), -ENAMETOOLONG);
	ck_assert(!is_there("trace"));
	ck_assert(!trace_directory_is_empty("/nowhere/at/all"));
	free(longer);
	reading_remove(folder);
}
END_TEST

START_TEST(a_directory_with_files_is_not_removed)
{
	begin();
	write_trace("1");
	trace_directory_discard(place);
	ck_assert(is_there("trace/1"));
	reading_remove(folder);
}
END_TEST

UNIT_MAIN("trace_place", a_new_directory_is_accessible_to_its_owner_only,
	  a_path_is_made_absolute_and_slashes_at_its_end_are_ignored,
	  one_older_trace_is_kept,
	  a_recorder_that_was_killed_leaves_no_row_of_traces, both_older_traces_are_restored_if_no_event_was_recorded, an_older_trace_is_restored_if_no_event_was_recorded,
	  a_directory_that_is_no_trace_is_not_moved, an_impossible_path_is_an_error,
	  a_directory_with_files_is_not_removed)
