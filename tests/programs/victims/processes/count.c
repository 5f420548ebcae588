/* SPDX-License-Identifier: MIT */
/*
 * count.c - counts its own calls atomically in a file that survives the process: "own.PID"
 * has a counter for each of the names below.
 *
 * $1: the situation; $2: the number of repetitions.
 *   threads  that many short threads at the same time
 *   waves    that many short threads, a thousand at a time
 *   kill     four threads run until one of them kills the process
 *   storm    a signal handler calls the same functions all the time
 *   fork     children count their own calls; some before their parent continues
 *   reload   libloaded.so is opened and closed again and again
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/work.h"

static const char *const names[] = { "leaf", "recurse", "tail_from", "tail_to", "handler", "loaded_value", "run" };
enum name { LEAF, RECURSE, TAIL_FROM, TAIL_TO, HANDLER, LOADED, RUN, NAMES };

static uint64_t *own;
static long times = 100;

UNTRACED static void count(enum name name)
{
	__atomic_fetch_add(&own[name], 1, __ATOMIC_RELAXED);
}

/* Each function counts first, so a kill leaves at most one uncounted call for each open one. */
TRACED void leaf(void)
{
	count(LEAF);
}

TRACED int recurse(int depth)
{
	int below;

	count(RECURSE);
	below = depth ? recurse(depth - 1) : 0;
	KEEP;
	return below + 1;
}

TRACED int tail_to(int number)
{
	count(TAIL_TO);
	return number + 1;
}

TRACED int tail_from(int number)
{
	count(TAIL_FROM);
	__attribute__((musttail)) return tail_to(number);
}

TRACED void handler(int signal)
{
	count(HANDLER);
	leaf();
	tail_from(signal);
}

UNTRACED static void begin_own(void)
{
	char name[32];
	int file;

	snprintf(name, sizeof(name), "own.%d", getpid());
	file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (file < 0 || ftruncate(file, 4096) < 0)
		abort();
	own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (own == MAP_FAILED)
		abort();
	close(file);
}

TRACED void *run(void *turns)
{
	count(RUN);
	for (long i = 0; i < (long)(intptr_t)turns; i++) {
		leaf();
		tail_from(1);
		if (i % 16 == 0)
			recurse(20);
	}
	return NULL;
}

UNTRACED static void *begin_thread(void *turns)
{
	return run(turns);
}

UNTRACED static void threads(long number, long turns)
{
	pthread_t *all = calloc((size_t)number, sizeof(*all));
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (long i = 0; i < number; i++)
		if (pthread_create(&all[i], &small, begin_thread, (void *)(intptr_t)turns))
			abort();
	for (long i = 0; i < number; i++)
		pthread_join(all[i], NULL);
	free(all);
}

UNTRACED static void storm(void)
{
	struct itimerval often = { { 0, 50 }, { 0, 50 } };

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	run((void *)(intptr_t)times);
	signal(SIGALRM, SIG_IGN);
	printf("%lu\n", (unsigned long)own[HANDLER]);
}

UNTRACED static void *runs_for_ever(void *unused)
{
	for (;;)
		run((void *)1000);
	return unused;
}

UNTRACED static void forks(void)
{
	run((void *)10);
	for (long i = 0; i < times; i++) {
		pid_t child = fork();

		if (child == 0) {
			begin_own();
			run((void *)(intptr_t)(i + 1));
			if (i % 2 && fork() == 0) {
				begin_own();
				leaf();
				_exit(0);
			}
			while (wait(NULL) > 0)
				;
			if (i % 3)
				kill(getpid(), SIGKILL);
			exit(0);
		}
		leaf();
		while (waitpid(child, NULL, 0) != child)
			;
	}
}

UNTRACED static void reloads(void)
{
	for (long i = 0; i < times; i++) {
		void *library = dlopen("./libloaded.so", RTLD_NOW);
		int (*loaded_value)(void) = library ? (int (*)(void))(uintptr_t)dlsym(library, "loaded_value") : NULL;

		if (!loaded_value)
			abort();
		for (int j = 0; j < 3; j++, count(LOADED))
			loaded_value();
		leaf();
		dlclose(library);
	}
}

UNTRACED int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "threads";
	pthread_t thread;

	times = argc > 2 ? atol(argv[2]) : times;
	begin_own();
	if (strcmp(how, "threads") == 0) {
		threads(times, 100);
	} else if (strcmp(how, "waves") == 0) {
		for (long i = 0; i < times; i += 1000)
			threads(times - i < 1000 ? times - i : 1000, 1);
	} else if (strcmp(how, "storm") == 0) {
		storm();
	} else if (strcmp(how, "fork") == 0) {
		forks();
	} else if (strcmp(how, "reload") == 0) {
		reloads();
	} else if (strcmp(how, "kill") == 0) {
		for (int i = 0; i < 4; i++)
			pthread_create(&thread, NULL, runs_for_ever, NULL);
		/* More calls than threads: one of them has ended, so each function has counted itself. */
		while (__atomic_load_n(&own[RUN], __ATOMIC_RELAXED) <= 4)
			usleep(100);
		usleep((useconds_t)times);
		raise(SIGKILL);
	} else if (strcmp(how, "own") == 0) {
		/* Prints the contents of an own.PID file. */
		int file = open(argv[2], O_RDONLY);

		if (file < 0 || read(file, own, sizeof(*own) * NAMES) != (ssize_t)sizeof(*own) * NAMES)
			return 1;
		for (int i = 0; i < NAMES; i++)
			if (own[i])
				printf("%s %lu\n", names[i], (unsigned long)own[i]);
	}
	return 0;
}
