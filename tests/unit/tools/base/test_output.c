/* SPDX-License-Identifier: MIT */
/* test_output.c - how numbers, times and strings are written. */
#include "base/output.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/support/unit.h"

static struct output out;

static void begin(void)
{
	ck_assert_int_eq(output_begin(&out, "/dev/null"), 0);
}

/* Compares the text that was written since the last call, and empties the buffer. */
static void expect(const char *text)
{
	ck_assert_uint_eq(out.used, strlen(text));
	out.buffer[out.used] = '\0';
	ck_assert_str_eq(out.buffer, text);
	out.used = 0;
}

START_TEST(numbers_are_what_printf_writes)
{
	static const uint64_t numbers[] = { 0, 9, 10, 99, 100, 12345, UINT32_MAX, UINT64_MAX, UINT64_MAX / 10 };
	char text[64];

	begin();
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		output_number(&out, numbers[i]);
		snprintf(text, sizeof(text), "%" PRIu64, numbers[i]);
		expect(text);
		output_hex(&out, numbers[i], 16);
		snprintf(text, sizeof(text), "%016" PRIx64, numbers[i]);
		expect(text);
	}
	output_grouped(&out, 0, 0);
	expect("0");
	output_grouped(&out, 999, 5);
	expect("  999");
	output_grouped(&out, 1000, 0);
	expect("1,000");
	output_grouped(&out, UINT64_MAX, 0);
	expect("18,446,744,073,709,551,615");
	output_microseconds(&out, 1234567);
	expect("1234.567");
	output_milliseconds(&out, 1234567);
	expect("1.234567");
	output_milliseconds(&out, 5);
	expect("0.000005");
	output_microseconds(&out, 5);
	expect("0.005");
	output_end(&out);
}
END_TEST

START_TEST(durations_are_rounded_and_have_the_unit_that_fits)
{
	begin();
	output_duration(&out, 0);
	expect("      0 ns");
	output_duration(&out, 999);
	expect("    999 ns");
	output_duration(&out, 1000);
	expect("  1.000 us");
	output_duration(&out, 12345);
	expect(" 12.345 us");
	output_duration(&out, 999999);
	expect("999.999 us");
	output_duration(&out, 1000000);
	expect("  1.000 ms");
	output_duration(&out, 1741499);
	expect("  1.741 ms");
	output_duration(&out, 1741500);
	expect("  1.742 ms");
	output_duration(&out, 999999499);
	expect("999.999 ms");
	output_duration(&out, 999999500);
	expect("  1.000 s ");
	output_duration(&out, 1000000000);
	expect("  1.000 s ");
	output_duration(&out, 999999499999);
	expect("999.999 s ");
	output_duration(&out, 999999999999);
	expect("1000.000 s ");
	output_duration(&out, 1234567000000000);
	expect("1234567.000 s ");
	output_duration(&out, UINT64_MAX);
	expect("18446744073.710 s ");
	output_end(&out);
}
END_TEST

START_TEST(a_csv_field_is_quoted_if_RFC_4180_requires_it)
{
	begin();
	output_csv_field(&out, "plain");
	expect("plain");
	output_csv_field(&out, "f(int, char)");
	expect("\"f(int, char)\"");
	output_csv_field(&out, "operator\"\" _x");
	expect("\"operator\"\"\"\" _x\"");
	output_csv_field(&out, "a\nb");
	expect("\"a\nb\"");
	output_csv_field(&out, "");
	expect("");
	output_end(&out);
}
END_TEST

START_TEST(a_json_string_is_valid_whatever_the_bytes)
{
	begin();
	output_json_string(&out, "a\"b\\c\n\x01");
	expect("a\\\"b\\\\c\\u000a\\u0001");
	output_json_string(&out, "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
	expect("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
	/* Invalid sequences: cut short, overlong, a surrogate, too large, a continuation byte alone. */
	output_json_string(&out, "\xe2\x82");
	expect("\\ufffd\\ufffd");
	output_json_string(&out, "\xc0\xaf");
	expect("\\ufffd\\ufffd");
	output_json_string(&out, "\xed\xa0\x80");
	expect("\\ufffd\\ufffd\\ufffd");
	output_json_string(&out, "\xf4\x90\x80\x80");
	expect("\\ufffd\\ufffd\\ufffd\\ufffd");
	output_json_string(&out, "\x80z\xff");
	expect("\\ufffdz\\ufffd");
	output_end(&out);
}
END_TEST

START_TEST(a_tsdl_string_contains_no_end_of_string)
{
	begin();
	output_tsdl_string(&out, "a\"b\\c\n\x01");
	expect("a\\\"b\\\\c\xef\xbf\xbd\xef\xbf\xbd");
	output_tsdl_string(&out, "\xc3\xa4\xe2\x82z");
	expect("\xc3\xa4\xef\xbf\xbd\xef\xbf\xbdz");
	output_end(&out);
}
END_TEST

START_TEST(a_temporary_file_is_appended_and_can_be_used_again)
{
	char path[] = "/tmp/spoor-test-XXXXXX", text[16] = "";
	struct output temporary, whole;
	int fd = mkstemp(path);
	FILE *file;

	ck_assert_int_eq(output_begin(&whole, path), 0);
	ck_assert_int_eq(output_begin_temporary(&temporary), 0);
	for (int turn = 0; turn < 2; turn++) {
		/* The first text is larger than the buffer. */
		for (int i = 0; i < (turn ? 1 : 100000); i++)
			output_string(&temporary, turn ? "second" : "first ");
		output_append(&whole, &temporary);
	}
	ck_assert_int_eq(output_end(&temporary), 0);
	ck_assert_int_eq(output_end(&whole), 0);
	file = fopen(path, "r");
	ck_assert_int_eq(fseek(file, 100000 * 6 - 6, SEEK_SET), 0);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	ck_assert_str_eq(text, "first second");
	fclose(file);
	close(fd);
	unlink(path);
}
END_TEST

START_TEST(a_temporary_file_that_cannot_be_made_is_an_error)
{
	struct output temporary;

	setenv("TMPDIR", "/nowhere/at/all", 1);
	ck_assert_int_eq(output_begin_temporary(&temporary), -ENOENT);
	unsetenv("TMPDIR");
}
END_TEST

START_TEST(a_fatal_signal_leaves_no_file_and_gets_its_old_handler_back)
{
	char folder[] = "/tmp/spoor-test-XXXXXX", path[40];
	struct sigaction action;
	int status;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/out", folder);
	for (int ignored = 0; ignored < 2; ignored++) {
		pid_t child = fork();

		if (child == 0) {
			signal(SIGHUP, ignored ? SIG_IGN : SIG_DFL);
			if (output_begin(&out, path) || !out.begun || access(out.begun, F_OK))
				_exit(2);
			raise(SIGHUP);
			_exit(output_end(&out) ? 3 : 0);
		}
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert_int_eq(status, ignored ? 0 : SIGHUP);
		ck_assert_int_eq(access(path, F_OK), ignored ? 0 : -1);
	}
	signal(SIGHUP, SIG_DFL);
	ck_assert_int_eq(output_begin(&out, path), 0);
	ck_assert_int_eq(output_end(&out), 0);
	ck_assert_int_eq(sigaction(SIGHUP, NULL, &action), 0);
	ck_assert(action.sa_handler == SIG_DFL);
	unlink(path);
	ck_assert_int_eq(rmdir(folder), 0);	/* fails if the folder is not empty */
}
END_TEST

START_TEST(more_than_the_buffer_holds_is_written_whole)
{
	static char large[3 * OUTPUT_BYTES];
	char path[] = "/tmp/spoor-test-XXXXXX";
	int fd = mkstemp(path);
	FILE *file;
	size_t bytes = 0, wrong = 0;
	int byte;

	memset(large, 'x', sizeof(large));
	ck_assert_int_eq(output_begin(&out, path), 0);
	for (int i = 0; i < 100; i++) {
		output_put(&out, large, (size_t)(i * 1900));
		output_spaces(&out, (size_t)(i * 3100));
		bytes += (size_t)(i * 5000);
	}
	ck_assert_int_eq(output_end(&out), 0);
	close(fd);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	while ((byte = fgetc(file)) != EOF) {
		wrong += byte != 'x' && byte != ' ';
		bytes--;
	}
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_eq(bytes, 0);
	fclose(file);
	unlink(path);
}
END_TEST

START_TEST(a_full_disk_is_an_error_and_a_closed_pipe_is_none)
{
	int ends[2];

	ck_assert_int_eq(output_begin(&out, "/dev/full"), 0);
	output_string(&out, "x");
	ck_assert_int_eq(output_end(&out), -ENOSPC);
	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(ends), 0);
	begin();
	close(out.fd);
	out.fd = ends[1];
	close(ends[0]);
	output_string(&out, "x");
	output_flush(&out);
	ck_assert(output_failed(&out));
	ck_assert_int_eq(output_end(&out), 0);
	ck_assert_int_eq(output_begin(&out, "/nowhere/at/all"), -ENOENT);
}
END_TEST

UNIT_MAIN("output", numbers_are_what_printf_writes, durations_are_rounded_and_have_the_unit_that_fits,
	  a_csv_field_is_quoted_if_RFC_4180_requires_it, a_json_string_is_valid_whatever_the_bytes,
	  a_tsdl_string_contains_no_end_of_string, a_temporary_file_is_appended_and_can_be_used_again,
	  a_temporary_file_that_cannot_be_made_is_an_error,
	  a_fatal_signal_leaves_no_file_and_gets_its_old_handler_back,
	  more_than_the_buffer_holds_is_written_whole, a_full_disk_is_an_error_and_a_closed_pipe_is_none)
