/* SPDX-License-Identifier: MIT */
/*
 * crash.c - threads that make calls without a pause until one of them crashes.
 *
 * Each thread increments its count, in a shared file, right after each call has returned: the
 * trace must have as many calls, or one more for each thread.
 *
 * $1 the file, $2 the signal: segv, abort, bus, fpe or ill, $3 the program's reaction:
 *   plain    none
 *   handler  a handler on an alternate stack prints a line and restores the default action
 *   jump     a handler leaves by siglongjmp, and the program continues to exit(3)
 * $4 number of calls of each thread before the crash
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include MACHINE_HEADER
#include "../common/work.h"

#define THREADS 3
#define MORE 50000
#define STACK_BYTES 65536

static volatile uint64_t *counts;	/* 8 words apart */
static uint64_t most;
static const char *which;
static sigjmp_buf safe;
static char handler_stack[STACK_BYTES];
static pthread_barrier_t ready;

TRACED void leaf(void)
{
	KEEP;
}

TRACED void in_handler(void)
{
	KEEP;
}

/* These calls are open at the crash. */
TRACED void crashing(void)
{
	if (strcmp(which, "segv") == 0)
		*(volatile int *)16 = 1;
	if (strcmp(which, "abort") == 0)
		abort();
	if (strcmp(which, "bus") == 0) {
		int fd = memfd_create("empty", MFD_CLOEXEC);

		*(volatile char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) = 1;
	}
	if (strcmp(which, "fpe") == 0)
		machine_divides_by_zero();
	if (strcmp(which, "ill") == 0)
		machine_does_nothing_known();
	KEEP;
}

UNTRACED static void work(volatile uint64_t *mine)
{
	while (*mine < most) {
		leaf();
		__atomic_fetch_add(mine, 1, __ATOMIC_RELAXED);
	}
	pthread_barrier_wait(&ready);
}

UNTRACED static void *thread_calls(void *count)
{
	volatile uint64_t *mine = count;

	work(mine);
	/* No more calls than a ring keeps. */
	while (*mine < most + MORE) {
		leaf();
		__atomic_fetch_add(mine, 1, __ATOMIC_RELAXED);
	}
	for (;;)
		pause();
	return NULL;
}

UNTRACED static void say(int number)
{
	char here;

	in_handler();
	if (&here < handler_stack || &here >= handler_stack + STACK_BYTES || write(1, "handled\n", 8) != 8)
		_exit(1);
	signal(number, SIG_DFL);
	if (number == SIGABRT)
		raise(number);
}

UNTRACED static void jump(int number)
{
	(void)number;
	in_handler();
	siglongjmp(safe, 1);
}

UNTRACED static void handle(void (*handler)(int))
{
	static const int numbers[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL };
	stack_t stack = { .ss_sp = handler_stack, .ss_size = STACK_BYTES };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	for (unsigned int i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
}

UNTRACED int main(int argc, char **argv)
{
	int fd = argc > 4 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	pthread_t thread;

	if (fd < 0 || ftruncate(fd, THREADS * 64) < 0)
		return 1;
	counts = mmap(NULL, THREADS * 64, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	most = strtoull(argv[4], NULL, 0);
	which = argv[2];
	pthread_barrier_init(&ready, NULL, THREADS);
	if (strcmp(argv[3], "handler") == 0)
		handle(say);
	if (strcmp(argv[3], "jump") == 0)
		handle(jump);
	for (int i = 1; i < THREADS; i++)
		pthread_create(&thread, NULL, thread_calls, (void *)&counts[i * 8]);
	work(counts);
	if (sigsetjmp(safe, 1) == 0)
		crashing();
	leaf();
	__atomic_fetch_add(counts, 1, __ATOMIC_RELAXED);
	exit(3);
}
