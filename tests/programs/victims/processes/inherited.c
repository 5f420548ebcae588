/* SPDX-License-Identifier: MIT */
/*
 * inherited.c - writes the state that it has inherited, calls functions in processes and threads, and writes how many
 * calls it made.
 *
 *   inherited FILE
 *
 * Without an argument, or with one that is empty, the file is "out". The last line is the number of calls.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/work.h"

#define CALLS 5000	/* of each thread: more than one slice of events */

#ifndef PR_GET_MDWE
#define PR_GET_MDWE 66
#endif

TRACED void leaf(void)
{
	KEEP;
}

UNTRACED static void *call(void *unused)
{
	(void)unused;
	for (int i = 0; i < CALLS; i++)
		leaf();
	return NULL;
}

UNTRACED static void write_signals(FILE *out)
{
	sigset_t mask, pending;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigpending(&pending);
	for (int i = 1; i < 65; i++) {
		struct sigaction action;

		if (sigaction(i, NULL, &action) == 0)
			fprintf(out, "signal %d: %s%s%s\n", i, action.sa_handler == SIG_IGN ? "ignored" :
				action.sa_handler == SIG_DFL ? "default" : "handled",
				sigismember(&mask, i) == 1 ? ", blocked" : "", sigismember(&pending, i) == 1 ? ", pending" : "");
	}
}

UNTRACED static void write_limits(FILE *out)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit limit;

		getrlimit((__rlimit_resource_t)i, &limit);
		fprintf(out, "limit %d: %#llx %#llx\n", i, (unsigned long long)limit.rlim_cur, (unsigned long long)limit.rlim_max);
	}
}

/* @first: the lowest free descriptor before the file was opened */
UNTRACED static void write_files(FILE *out, int first)
{
	char folder[4096];
	mode_t mask = umask(0);
	int terminal = open("/dev/tty", O_RDWR);

	umask(mask);
	fprintf(out, "umask %03o\nfirst free descriptor %d\n", (unsigned int)mask, first);
	for (int i = 0; i < 3; i++)
		if (i != fileno(out))
			fprintf(out, "descriptor %d: %d\n", i, i == terminal ? -1 : fcntl(i, F_GETFD));
	fprintf(out, "folder: %s\n", getcwd(folder, sizeof(folder)) ? folder : strerror(errno));
	fprintf(out, "terminal: %s\n", terminal >= 0 ? "yes" : strerror(errno));
	if (terminal >= 0)
		close(terminal);
}

UNTRACED static void write_timers(FILE *out)
{
	for (int i = 0; i < 3; i++) {
		struct itimerval timer;

		getitimer((__itimer_which_t)i, &timer);
		/* Some time has passed. */
		fprintf(out, "timer %d: %s, %ld\n", i, timer.it_value.tv_sec > 50000 ? "on" :
			timer.it_value.tv_sec || timer.it_value.tv_usec ? "changed" : "off", (long)timer.it_interval.tv_sec);
	}
}

UNTRACED static void write_rest(FILE *out)
{
	char text[64] = "";
	int fd = open("/proc/self/oom_score_adj", O_RDONLY), death = 0;
	struct sched_param parameters = { 0 };
	cpu_set_t processors;

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
		fprintf(out, "score: %s", text);
	if (fd >= 0)
		close(fd);
	sched_getaffinity(0, sizeof(processors), &processors);
	sched_getparam(0, &parameters);
	fprintf(out, "policy %d, priority %d, nice %d, processors %d\n", sched_getscheduler(0), parameters.sched_priority,
		getpriority(PRIO_PROCESS, 0), CPU_COUNT(&processors));
	prctl(PR_GET_PDEATHSIG, &death);
	fprintf(out, "privileges %d, dumpable %d, death %d, slack %d, huge pages %d, writable code %d, personality %#x\n",
		prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), prctl(PR_GET_DUMPABLE), death, prctl(PR_GET_TIMERSLACK),
		prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0), prctl(PR_GET_MDWE, 0, 0, 0, 0), (unsigned int)personality(0xffffffff));
	for (char **at = environ; *at; at++)
		if (strncmp(*at, "SPOOR_", 6) != 0 && strncmp(*at, "LD_PRELOAD=", 11) != 0)
			fprintf(out, "environment: %s\n", *at);
}

UNTRACED static int wait_for(FILE *out, const char *what, pid_t child)
{
	int status = 0;
	pid_t ended = child < 0 ? -1 : waitpid(child, &status, 0);

	fprintf(out, "%s: %s, %#x\n", what, ended == child ? "ended" : strerror(errno), (unsigned int)status);
	return child > 0;
}

int main(int count, char **arguments)
{
	const char *path = count > 1 && *arguments[1] ? arguments[1] : "out";
	int first = open("/", O_PATH), calls = CALLS, error;
	FILE *out;
	pthread_t thread;
	pid_t child;

	close(first);
	out = fopen(path, "we");
	if (!out)
		return 2;
	fprintf(out, "arguments: %d '%s'\n", count, arguments[0] ? arguments[0] : "(null)");
	write_files(out, first);
	write_signals(out);
	write_limits(out);
	write_timers(out);
	write_rest(out);
	call(NULL);
	fflush(out);
	child = fork();
	if (child == 0) {
		call(NULL);
		exit(7);
	}
	calls += wait_for(out, "child", child) * CALLS;
	error = pthread_create(&thread, NULL, call, NULL);
	if (!error)
		error = pthread_join(thread, NULL);
	fprintf(out, "thread: %s\n", strerror(error));
	calls += error ? 0 : CALLS;
	fflush(out);
	error = system("exit 3");
	fprintf(out, "command: %#x %s\ncalls %d\n", (unsigned int)error, error < 0 ? strerror(errno) : "", calls);
	return fclose(out) ? 3 : 5;
}
