/* SPDX-License-Identifier: MIT */
/* test_launch.c - a program runs as without spoor record, which passes on the program's end. */
#include "record/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/system/signals.h"
#include "tests/unit/support/unit.h"

/* Runs a line of shell. Returns the value of launch. *@status is as for waitpid. */
static int shell(const char *line, const struct launch_rest *rest, int *status)
{
	char *arguments[] = { (char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c", (char *)(uintptr_t)line, NULL };

	return launch(arguments, rest, status);
}

static int run(const char *program)
{
	char *arguments[] = { (char *)(uintptr_t)program, NULL };
	int status;

	return launch(arguments, NULL, &status);
}

START_TEST(the_status_of_the_program_is_passed_on)
{
	int status;

	ck_assert_int_eq(shell("exit 0", NULL, &status), 0);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	ck_assert_int_eq(shell("exit 77", NULL, &status), 0);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 77);
	ck_assert_int_eq(shell("kill -9 $$", NULL, &status), 0);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}
END_TEST

START_TEST(a_program_that_cannot_be_run_has_the_shells_exit_status)
{
	char path[] = "/tmp/spoor-test-XXXXXX";

	ck_assert(freopen("/dev/null", "w", stderr) != NULL);
	ck_assert_int_eq(run("spoor-no-such-program"), LAUNCH_NOT_FOUND);
	ck_assert_int_eq(run("/nowhere/program"), LAUNCH_NOT_FOUND);
	ck_assert_int_eq(run("/dev/null/program"), LAUNCH_NOT_FOUND);
	ck_assert_int_eq(run("/tmp"), LAUNCH_NOT_EXECUTABLE);
	close(mkstemp(path));
	ck_assert_int_eq(run(path), LAUNCH_NOT_EXECUTABLE);
	unlink(path);
	/* There is no child left. */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

/* Returns a line of /proc/self/status, or of the same file of the program, which a shell copied to @file. */
static const char *state(const char *file, const char *key)
{
	static char found[256];
	FILE *status = fopen(file, "re");
	char line[256];

	found[0] = '\0';
	while (fgets(line, sizeof(line), status))
		if (strncmp(line, key, strlen(key)) == 0)
			snprintf(found, sizeof(found), "%s", line);
	fclose(status);
	return found;
}

START_TEST(the_program_inherits_the_signal_state_of_this_process)
{
	char path[] = "/tmp/spoor-test-XXXXXX", line[64], ignored[256], blocked[256];
	sigset_t mask, after;
	int status;

	close(mkstemp(path));
	signal(SIGUSR1, SIG_IGN);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	strcpy(ignored, state("/proc/self/status", "SigIgn:"));
	strcpy(blocked, state("/proc/self/status", "SigBlk:"));
	signals_begin();
	ck_assert_str_ne(state("/proc/self/status", "SigIgn:"), ignored);
	snprintf(line, sizeof(line), "exec cat /proc/self/status >%s", path);
	ck_assert_int_eq(shell(line, NULL, &status), 0);
	ck_assert_int_eq(status, 0);
	ck_assert_str_eq(state(path, "SigIgn:"), ignored);
	ck_assert_str_eq(state(path, "SigBlk:"), blocked);
	sigprocmask(SIG_BLOCK, NULL, &after);
	ck_assert(sigismember(&after, SIGUSR2) && !sigismember(&after, SIGTERM));
	unlink(path);
}
END_TEST

START_TEST(a_signal_to_this_process_alone_is_passed_on)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		char line[64];
		int status;

		/* A shell may have started this process with some of them ignored. */
		signal(signals[i], SIG_DFL);
		/* The started program sends the signal, so that this process is ready to pass it on. */
		snprintf(line, sizeof(line), "(sleep 0.3; kill -%d $PPID) & exec sleep 20", signals[i]);
		ck_assert_int_eq(shell(line, NULL, &status), 0);
		ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
	}
}
END_TEST

START_TEST(no_descriptor_of_this_process_is_inherited)
{
	char path[] = "/tmp/spoor-test-XXXXXX", line[512];
	int status, others = 0;
	FILE *file;

	close(mkstemp(path));
	/* Excludes the descriptors that this process inherited itself. */
	ck_assert_int_eq(close_range(3, ~0u, CLOSE_RANGE_CLOEXEC), 0);
	snprintf(line, sizeof(line), "exec ls /proc/self/fd >%s", path);
	ck_assert_int_eq(shell(line, NULL, &status), 0);
	ck_assert_int_eq(status, 0);
	file = fopen(path, "re");
	while (fgets(line, sizeof(line), file))
		others += atoi(line) > 2;
	/* The descriptor of the folder that is listed. */
	ck_assert_int_eq(others, 1);
	fclose(file);
	unlink(path);
}
END_TEST

struct rest {
	int fd;
	unsigned int left, asked;
};

static unsigned int busy(void *context)
{
	struct rest *rest = context;
	uint64_t one = 1;

	rest->asked++;
	if (!rest->left)
		return 0;
	ck_assert_int_eq(write(rest->fd, &one, sizeof(one)), sizeof(one));
	return rest->left--;
}

START_TEST(launch_waits_until_no_other_process_is_busy)
{
	struct rest rest = { eventfd(0, EFD_NONBLOCK), 3, 0 };
	int status;

	ck_assert_int_eq(shell("exit 5", &(struct launch_rest){ .changed_fd = rest.fd, .busy = busy, .context = &rest }, &status), 0);
	ck_assert_int_eq(WEXITSTATUS(status), 5);
	ck_assert_uint_eq(rest.asked, 4);
}
END_TEST

static unsigned int busy_for_ever(void *context)
{
	struct rest *rest = context;

	if (++rest->asked == 1)
		kill(getpid(), SIGINT);
	return 1;
}

START_TEST(a_signal_ends_the_wait_for_other_processes)
{
	struct rest rest = { eventfd(0, EFD_NONBLOCK), 0, 0 };
	int status;

	ck_assert(freopen("/dev/null", "w", stderr) != NULL);
	ck_assert_int_eq(shell("exit 6", &(struct launch_rest){ .changed_fd = rest.fd, .busy = busy_for_ever, .context = &rest }, &status), 0);
	ck_assert_int_eq(WEXITSTATUS(status), 6);
}
END_TEST

UNIT_MAIN("launch", the_status_of_the_program_is_passed_on,
	  a_program_that_cannot_be_run_has_the_shells_exit_status,
	  the_program_inherits_the_signal_state_of_this_process,
	  a_signal_to_this_process_alone_is_passed_on, no_descriptor_of_this_process_is_inherited,
	  launch_waits_until_no_other_process_is_busy, a_signal_ends_the_wait_for_other_processes)
