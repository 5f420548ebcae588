/* SPDX-License-Identifier: MIT */
/*
 * concurrent.c - makes all requests of a runtime at the same time, for the sanitizers: threads
 * that begin and end in hand-written sleds, choices and handlers that change, flushes,
 * clears, ends and beginnings, signals, forks. Linked with the runtime's own object files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "registers.h"
#include "spoor.h"
#include "base/system.h"

#define WORKERS 3

static atomic_bool over;
static atomic_ulong handled, churned, switched, forked, turned;

static void call_all(int count)
{
	for (int i = 0; i < count; i++) {
		registers_entry();
		registers_tail();
		registers_exit();
		registers_tail_indirect();
	}
}

static void handler(uint64_t function_id, int event)
{
	(void)function_id;
	(void)event;
	atomic_fetch_add(&handled, 1);
}

/* A handler that uses general registers only, so it calls no function of a sanitizer. */
static uint64_t handled_bare;	/* approximate, because it is not atomic */
__attribute__((no_sanitize("thread"), no_sanitize("address"), no_sanitize("undefined")))
static void handler_bare(uint64_t function_id, int event)
{
	(void)function_id;
	(void)event;
	spoor_cursor_add(&handled_bare, 1);
}

static void on_alarm(int number)
{
	int saved = errno;

	(void)number;
	call_all(1);
	errno = saved;
}

static void *work(void *unused)
{
	while (!atomic_load(&over))
		call_all(100);
	return unused;
}

static void *work_once(void *unused)
{
	call_all(10);
	return unused;
}

static void *churn(void *unused)
{
	while (!atomic_load(&over)) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work_once, NULL) == 0) {
			pthread_join(thread, NULL);
			atomic_fetch_add(&churned, 1);
		}
	}
	return unused;
}

static void *choose(void *unused)
{
	for (unsigned int i = 0; !atomic_load(&over); i++) {
		switch (i % 8) {
		case 0:
			spoor_functions_disable(NULL, "registers_e*");
			break;
		case 1:
			spoor_functions_enable("*", "registers_entry");
			break;
		case 2:
			spoor_set_handler(handler, 0);
			break;
		case 3:
			spoor_functions_enable(NULL, NULL);
			break;
		case 4:
			spoor_set_handler(handler_bare, SPOOR_HANDLER_GENERAL_REGISTERS_ONLY);
			break;
		case 5:
			spoor_disable();
			break;
		case 6:
			spoor_set_handler(NULL, 0);
			break;
		case 7:
			spoor_enable();
			break;
		}
		atomic_fetch_add(&switched, spoor_is_enabled() >= 0);
		usleep(200);
	}
	return unused;
}

static void *turn(void *unused)
{
	for (unsigned int i = 0; !atomic_load(&over); i++) {
		int error = 0;

		switch (i % 4) {
		case 0:
			error = spoor_flush(-1);
			break;
		case 1:
			error = spoor_clear();
			break;
		case 2:
			error = spoor_deinitialize();
			break;
		case 3:
			error = spoor_initialize();
			spoor_enable();
			break;
		}
		if (error < 0)
			fprintf(stderr, "%u: %s\n", i % 4, strerror(-error));
		atomic_fetch_add(&turned, 1);
		usleep(300);
	}
	return unused;
}

static void fork_once(void)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		call_all(10);
		_exit(7);
	}
	if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7)
		atomic_fetch_add(&forked, 1);
	else
		fprintf(stderr, "a child ended with 0x%x\n", (unsigned int)status);
}

int main(int argc, char **argv)
{
	int milliseconds = argc > 1 ? atoi(argv[1]) : 1000;
	bool forks = argc <= 2 || strcmp(argv[2], "no-fork") != 0;
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	pthread_t threads[WORKERS + 3];
	int rounds = milliseconds / 50 + 1;

	if (!spoor_is_enabled()) {
		fprintf(stderr, "no sled is patched\n");
		return 1;
	}
	sigaction(SIGALRM, &action, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	pthread_create(&threads[WORKERS], NULL, churn, NULL);
	pthread_create(&threads[WORKERS + 1], NULL, choose, NULL);
	pthread_create(&threads[WORKERS + 2], NULL, turn, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < rounds; i++) {
		struct timespec pause = { 0, 50000000 };

		while (nanosleep(&pause, &pause) < 0 && errno == EINTR)
			;
		if (forks)
			fork_once();
	}
	setitimer(ITIMER_REAL, &never, NULL);
	atomic_store(&over, true);
	for (int i = 0; i < WORKERS + 3; i++)
		pthread_join(threads[i], NULL);
	printf("%lu threads, %lu choices, %lu turns, %lu forks, %lu and %lu handled\n", atomic_load(&churned),
	       atomic_load(&switched), atomic_load(&turned), atomic_load(&forked), atomic_load(&handled), (unsigned long)handled_bare);
	return forks && atomic_load(&forked) != (unsigned long)rounds;
}
