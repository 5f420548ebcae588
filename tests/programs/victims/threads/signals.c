/* SPDX-License-Identifier: MIT */
/*
 * signals.c - traced signal handlers that interrupt traced code.
 *
 *   storm   a fast interval timer in the CPU time of two threads, for the given
 *           milliseconds; handlers nest. Prints how often each was called.
 *   altstack  a handler on an alternate stack that is the given bytes larger than
 *           the minimum, 20000 times; prints how much of it was used
 *   first   the same, once, and it includes the first event of a thread
 *   vectors  prints the size of a scalable vector
 *   fault   a handler of SIGSEGV that jumps out, the given number of times
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "../common/work.h"

static long handled, in_handler, outside;
static volatile int stop;
static sigjmp_buf jump;

TRACED void inner(void)
{
	KEEP;
}

TRACED uint64_t leaf(uint64_t value)
{
	KEEP;
	return value + 1;
}

TRACED void handler(int signal)
{
	(void)signal;
	inner();
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&in_handler, 1, __ATOMIC_RELAXED);
	errno = 99;
}

TRACED void jumping_handler(int signal)
{
	(void)signal;
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
	siglongjmp(jump, 1);
}

UNTRACED static void *calls(void *unused)
{
	uint64_t value = 0;
	long count = 0;

	while (!stop) {
		/* Keeps the trace small. */
		if (value % 1000 == 0)
			usleep(1);
		if (leaf(value) != value + 1)
			abort();
		value++;
		count++;
	}
	__atomic_fetch_add(&outside, count, __ATOMIC_RELAXED);
	return unused;
}

UNTRACED static void set_handler(int signal, void (*function)(int), int flags)
{
	struct sigaction action = { .sa_handler = function, .sa_flags = flags };

	sigaction(signal, &action, NULL);
}

static unsigned char *stack_begin, *stack_end;

/* Sets a stack of the kernel's minimum and @more bytes, with an inaccessible page below it. */
UNTRACED static void set_altstack(size_t more)
{
	/* A signal's frame may need less than the smallest stack that the kernel accepts. */
	size_t frame = getauxval(AT_MINSIGSTKSZ), said = (size_t)sysconf(_SC_MINSIGSTKSZ);
	/* Emulators do not report it. */
	size_t least = frame ? frame : said;
	size_t bytes = ((least < 2048 ? 2048 : least) + more + 15) & ~(size_t)15, page = 4096;
	stack_t stack = { .ss_size = bytes };
	char *memory = mmap(NULL, page + 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	stack.ss_sp = stack_begin = (unsigned char *)memory + page;
	stack_end = stack_begin + bytes;
	if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) < 0 || sigaltstack(&stack, NULL) < 0)
		abort();
	memset(stack_begin, 0xa5, bytes);
}

UNTRACED static long stack_used(void)
{
	unsigned char *at = stack_begin;

	while (at < stack_end && *at == 0xa5)
		at++;
	return stack_end - at;
}

UNTRACED static void storm(int milliseconds, int flags)
{
	struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
	struct timespec end;
	pthread_t threads[2];

	set_handler(SIGALRM, handler, flags | SA_RESTART | SA_NODEFER);
	set_handler(SIGPROF, handler, flags | SA_RESTART | SA_NODEFER);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, calls, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += milliseconds / 1000;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		;
	/* On a busy machine few signals arrive. */
	while (__atomic_load_n(&handled, __ATOMIC_RELAXED) <= milliseconds / 2)
		usleep(1000);
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	setitimer(ITIMER_PROF, &never, NULL);
	set_handler(SIGALRM, SIG_IGN, 0);
	set_handler(SIGPROF, SIG_IGN, 0);
}

UNTRACED static void fault(int times)
{
	set_handler(SIGSEGV, jumping_handler, SA_NODEFER);
	for (volatile int i = 0; i < times; i++) {
		if (sigsetjmp(jump, 1) == 0) {
			inner();
			*(volatile int *)16 = 1;
		}
		outside++;
		leaf(1);
	}
}

UNTRACED int main(int argc, char **argv)
{
	int number = argc > 2 ? atoi(argv[2]) : 1000;

	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "storm") == 0) {
		storm(number, 0);
	} else if (strcmp(argv[1], "vectors") == 0) {
		/* Returns bytes, or an error if the vectors have a fixed size. */
		int length = prctl(PR_SVE_GET_VL);

		printf("%d\n", length < 0 ? 0 : length & PR_SVE_VL_LEN_MASK);
		return 0;
	} else if (strcmp(argv[1], "altstack") == 0) {
		set_altstack((size_t)number);
		set_handler(SIGUSR1, handler, SA_ONSTACK);
		for (int i = 0; i < 20000; i++) {
			raise(SIGUSR1);
			outside++;
			leaf(1);
		}
	} else if (strcmp(argv[1], "first") == 0) {
		set_altstack((size_t)number);
		set_handler(SIGUSR1, handler, SA_ONSTACK);
		raise(SIGUSR1);
	} else if (strcmp(argv[1], "fault") == 0) {
		fault(number);
	}
	printf("handled %ld\noutside %ld\nstack %ld\n", handled, outside, stack_used());
	return 0;
}
