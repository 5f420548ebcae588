/* SPDX-License-Identifier: MIT */
/* test_descendants.c - finds processes by a variable in the environment that they were started with. */
#include "record/descendants.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/support/unit.h"

static char variable[64];

/* Starts a process with @value in its environment. The process runs until it is stopped. */
static pid_t start(const char *value, int *stop)
{
	char *environment[] = { (char *)(uintptr_t)"A=1", (char *)(uintptr_t)value, NULL };
	int ends[2], ready[2];
	char byte;
	pid_t child;

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		dup2(ends[0], 0);
		dup2(ready[1], 1);
		close(ends[0]);
		close(ends[1]);
		close(ready[0]);
		close(ready[1]);
		execle("/bin/sh", "sh", "-c", "echo; read line", (char *)NULL, environment);
		_exit(127);
	}
	close(ends[0]);
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	*stop = ends[1];
	return child;
}

static void end(pid_t child, int stop)
{
	close(stop);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

static void begin(void)
{
	snprintf(variable, sizeof(variable), "SPOOR_TEST=%d", getpid());
}

START_TEST(a_process_with_the_variable_is_found_while_it_runs)
{
	pid_t child;
	int stop;

	begin();
	ck_assert(!descendants_exist(variable));
	child = start(variable, &stop);
	ck_assert(descendants_exist(variable));
	/* Waits until the process waits, which needs no processor time. */
	for (int i = 0; descendants_are_busy(variable) && i < 1000; i++)
		usleep(10000);
	ck_assert(!descendants_are_busy(variable));
	end(child, stop);
	ck_assert(!descendants_exist(variable));
}
END_TEST

START_TEST(a_computing_process_is_busy)
{
	char *environment[] = { variable, NULL };
	bool busy = false;
	pid_t child;

	begin();
	child = fork();
	if (child == 0) {
		execle("/bin/sh", "sh", "-c", "while :; do :; done", (char *)NULL, environment);
		_exit(127);
	}
	for (int i = 0; !busy && i < 1000; i++) {
		busy = descendants_are_busy(variable);
		usleep(10000);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ck_assert(busy);
}
END_TEST

START_TEST(a_similar_name_or_value_is_not_found)
{
	char other[80];
	pid_t child;
	int stop;

	begin();
	snprintf(other, sizeof(other), "%s0", variable);
	child = start(other, &stop);
	ck_assert(descendants_exist(other));
	ck_assert(!descendants_exist(variable));
	end(child, stop);
	snprintf(other, sizeof(other), "X%s", variable);
	child = start(other, &stop);
	ck_assert(!descendants_exist(variable));
	end(child, stop);
}
END_TEST

START_TEST(the_calling_process_is_no_descendant)
{
	char path[64];

	begin();
	if (!getenv("SPOOR_TEST_AGAIN")) {
		/* Repeats the test in a process that was started with the variable. */
		pid_t child = fork();
		int status;

		if (child == 0) {
			snprintf(path, sizeof(path), "%d", getpid());
			setenv("SPOOR_TEST", path, 1);
			setenv("SPOOR_TEST_AGAIN", "1", 1);
			setenv("CK_FORK", "no", 1);
			setenv("CK_VERBOSITY", "silent", 1);
			execl("/proc/self/exe", "test_descendants", (char *)NULL);
			_exit(127);
		}
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert_int_eq(status, 0);
		return;
	}
	ck_assert_str_eq(getenv("SPOOR_TEST"), variable + 11);
	ck_assert(!descendants_exist(variable));
}
END_TEST

UNIT_MAIN("descendants", the_calling_process_is_no_descendant,
	  a_process_with_the_variable_is_found_while_it_runs, a_computing_process_is_busy,
	  a_similar_name_or_value_is_not_found)
