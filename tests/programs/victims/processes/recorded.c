/* SPDX-License-Identifier: MIT */
/*
 * recorded.c - a program for spoor record: "recorded WHAT [ARGUMENT]..."
 *
 *   status N     ends with this exit status
 *   signal N     ends by this signal
 *   arguments    prints its arguments and the text of stdin
 *   preload      prints LD_PRELOAD and whether SIGPIPE is ignored
 *   wait         prints "ready", then waits for SIGTERM or SIGINT and prints which arrived
 *   many N       makes N calls
 *   nap N        makes a call that lasts N milliseconds
 *   outlive      leaves a child that makes 1,000 more calls after its parent has ended
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile int work_done;

__attribute__((noinline)) void leaf(void)
{
	work_done++;
}

__attribute__((noinline)) void branch(int leaves)
{
	for (int i = 0; i < leaves; i++)
		leaf();
	work_done++;
}

static volatile sig_atomic_t caught;

static void catch(int signal)
{
	caught = signal;
}

static int wait_for_signal(void)
{
	sigset_t both, before;

	signal(SIGTERM, catch);
	signal(SIGINT, catch);
	sigemptyset(&both);
	sigaddset(&both, SIGTERM);
	sigaddset(&both, SIGINT);
	sigprocmask(SIG_BLOCK, &both, &before);
	puts("ready");
	fflush(stdout);
	while (!caught)
		sigsuspend(&before);
	printf("caught %d\n", (int)caught);
	return 5;
}

/* The child waits until its parent was reaped and the child has a new parent. */
static void outlive(void)
{
	pid_t parent = getpid();

	branch(1);
	if (fork())
		return;
	branch(1);
	while (getppid() == parent)
		usleep(1000);
	usleep(200000);
	branch(1000);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int number = argc > 2 ? atoi(argv[2]) : 0;

	if (strcmp(what, "status") == 0) {
		branch(3);
		return number;
	}
	if (strcmp(what, "signal") == 0) {
		branch(3);
		raise(number);
	}
	if (strcmp(what, "arguments") == 0) {
		int byte;

		for (int i = 2; i < argc; i++)
			printf("[%s]", argv[i]);
		while ((byte = getchar()) != EOF)
			putchar(byte);
		branch(1);
	}
	if (strcmp(what, "preload") == 0) {
		struct sigaction action;

		sigaction(SIGPIPE, NULL, &action);
		printf("%s %s\n", getenv("LD_PRELOAD"), action.sa_handler == SIG_IGN ? "ignored" : "default");
		branch(1);
	}
	if (strcmp(what, "wait") == 0) {
		branch(1);
		return wait_for_signal();
	}
	if (strcmp(what, "many") == 0)
		branch(number);
	if (strcmp(what, "nap") == 0) {
		branch(1);
		usleep((useconds_t)number * 1000);
	}
	if (strcmp(what, "outlive") == 0)
		outlive();
	return 0;
}
