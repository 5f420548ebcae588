/* SPDX-License-Identifier: MIT */
/* test_progress.c - shows progress on a terminal after a second, and removes it before a message. */
#include "base/progress.h"

#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "tests/unit/support/unit.h"

static int terminal;

/* Makes stderr a terminal; the test holds its other end. */
static void begin(void)
{
	int slave;

	terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	ck_assert_int_ge(terminal, 0);
	ck_assert(grantpt(terminal) == 0 && unlockpt(terminal) == 0);
	slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(slave, 0);
	dup2(slave, STDERR_FILENO);
	dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
}

/* Returns all text that the terminal received. A pseudo-terminal passes bytes on late, but in order: END is the last. */
static const char *shown(void)
{
	enum { END = 1 };
	static char text[4096];
	struct pollfd more = { .fd = terminal, .events = POLLIN };
	size_t used = 0;

	ck_assert_int_eq(write(STDERR_FILENO, (char[]){ END }, 1), 1);
	while (used == 0 || text[used - 1] != END) {
		ssize_t length;

		ck_assert_int_eq(poll(&more, 1, -1), 1);
		length = read(terminal, text + used, sizeof(text) - used);
		ck_assert_int_gt(length, 0);
		used += (size_t)length;
	}
	text[used - 1] = '\0';
	return text;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

START_TEST(short_work_shows_nothing)
{
	int64_t begin_ns = now_ns();

	begin();
	progress_begin("walking", 100);
	for (int i = 0; i < 100; i++)
		progress_add(1);
	progress_begin("", 0);
	message("done");
	if (now_ns() - begin_ns < 1000000000)
		ck_assert_str_eq(shown(), "spoor: done\r\n");
}
END_TEST

START_TEST(long_work_shows_its_part_and_is_removed_for_a_message)
{
	int64_t begin_ns;

	begin();
	progress_begin("walking", 200);
	progress_add(10);
	usleep(1100000);
	begin_ns = now_ns();
	progress_add(40);
	ck_assert_str_eq(shown(), "\r\033[Kwalking  25 %");
	progress_add(50);	/* too soon, unless the machine is slow */
	if (now_ns() - begin_ns < 200000000)
		ck_assert_str_eq(shown(), "");
	else
		shown();
	usleep(250000);
	progress_add(50);
	ck_assert_str_eq(shown(), "\r\033[Kwalking  75 %");
	message("a word");
	ck_assert_str_eq(shown(), "\r\033[Kspoor: a word\r\n");
	progress_wipe();
	progress_begin("", 0);
	ck_assert_str_eq(shown(), "");
}
END_TEST

START_TEST(without_a_terminal_as_stderr_no_progress_is_shown)
{
	int file = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	dup2(file, STDERR_FILENO);
	progress_begin("walking", 100);
	usleep(1100000);
	progress_add(50);
	progress_wipe();
	ck_assert_int_eq(lseek(file, 0, SEEK_END), 0);
}
END_TEST

START_TEST(with_the_same_terminal_as_stdout_no_progress_is_shown)
{
	begin();
	dup2(STDERR_FILENO, STDOUT_FILENO);
	progress_begin("walking", 100);
	usleep(1100000);
	progress_add(50);
	ck_assert_str_eq(shown(), "");
}
END_TEST

UNIT_MAIN("progress", short_work_shows_nothing, long_work_shows_its_part_and_is_removed_for_a_message,
	  without_a_terminal_as_stderr_no_progress_is_shown,
	  with_the_same_terminal_as_stdout_no_progress_is_shown)
