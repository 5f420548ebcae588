/* SPDX-License-Identifier: MIT */
/*
 * foreign.c - reaches tracepoints of SystemTap's header, without any part of spoor: with arguments of all
 * kinds, on threads, while signals are blocked or arrive, in a forked child, with another handler. Prints
 * each hit as name and numbers. With -DLIBRARY this is a library that is opened and closed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LIBRARY

int reach(int turn);
int reach(int turn)
{
	printf("foreign:library %d\n", turn);
	DTRACE_PROBE1(foreign, library, turn);
	return turn;
}

#else

#define TRACED __attribute__((noinline))

static int counter = -7;
static volatile int64_t table[4] = { 1, -2, 3, INT64_MIN };

TRACED static void all(int8_t a, uint16_t b, int c, uint64_t d, double e, float f, int at)
{
	printf("foreign:all %d %d %d %llu %.17g %.9g %d %lld 42\n", a, b, c, (unsigned long long)d, e, (double)f, counter,
	       (long long)table[at]);
	DTRACE_PROBE9(foreign, all, a, b, c, d, e, f, counter, table[at], 42);
}

TRACED static void integers(int8_t a, uint16_t b, long c)
{
	printf("foreign:integers %d %d %ld\n", a, b, c);
	DTRACE_PROBE4(foreign, integers, a, b, c, table[b % 4]);
}

/* The note that the header writes, for a nop in the middle of other instructions. */
#define NOTE_AT_991 ".pushsection .note.stapsdt,\"?\",\"note\"\n\t.balign 4\n\t.4byte 8, 995f-994f, 3\n\t" \
	".asciz \"stapsdt\"\n994:\t.8byte 991b, _.stapsdt.base, 0\n\t.asciz \"foreign\", \"kept\", \"8@-8(%%rsp)\"\n995:\t.balign 4\n\t.popsection"

/* Checks that registers, flags, and the memory below the stack pointer are unchanged. */
TRACED static int kept(void)
{
#ifdef __x86_64__
	uint64_t good;

	__asm__ volatile("mov $1, %%eax; mov $2, %%ecx; mov $3, %%edx; mov $4, %%esi; mov $5, %%edi; mov $6, %%r8d; mov $7, %%r9d\n\t"
			 "mov $8, %%r10d; mov $9, %%r11d; movq %%r11, %%xmm5; movq %%r11, -8(%%rsp); movq %%r10, -128(%%rsp)\n\t"
			 "stc\n991:\tnop\n\t" NOTE_AT_991 "\n\t"
			 "setc %b0; movzbl %b0, %k0\n\t"
			 "cmp $2, %%ecx; jne 1f; cmp $3, %%edx; jne 1f; cmp $4, %%esi; jne 1f; cmp $5, %%edi; jne 1f\n\t"
			 "cmp $6, %%r8d; jne 1f; cmp $7, %%r9d; jne 1f; cmp $8, %%r10d; jne 1f; cmp $9, %%r11d; jne 1f\n\t"
			 "cmpq $9, -8(%%rsp); jne 1f; cmpq $8, -128(%%rsp); jne 1f; movq %%xmm5, %%rcx; cmp $9, %%rcx; je 2f\n\t"
			 "1: xor %k0, %k0\n\t2:" : "=&a"(good) :
			 : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm5", "memory", "cc");
	return good == 1;
#else
	return 1;
#endif
}

static volatile long interrupted;

static void on_alarm(int signal)
{
	(void)signal;
	interrupted++;
	DTRACE_PROBE1(foreign, handler, 1);
}

static void *count(void *number)
{
	for (long i = 0; i < 500; i++)
		DTRACE_PROBE2(foreign, thread, (long)(intptr_t)number, i);
	return NULL;
}

static void *block_all(void *unused)
{
	sigset_t all;

	(void)unused;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	DTRACE_PROBE1(foreign, blocked, 1);
	return NULL;
}

static volatile int own;

static void on_trap(int signal)
{
	own += signal == SIGTRAP;
}

static void on_user(int signal)
{
	DTRACE_PROBE1(foreign, blocked, signal);
}

static void signals_are_blocked(void)
{
	struct sigaction action = { .sa_handler = on_user };
	pthread_t thread;
	sigset_t all, mask;

	pthread_create(&thread, NULL, block_all, NULL);
	pthread_join(thread, NULL);
	sigfillset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	raise(SIGUSR1);
	sigdelset(&all, SIGUSR1);
	if (ppoll(NULL, 0, NULL, &all) == 0)
		abort();
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (strcmp(word, "values") == 0) {
		for (int i = 0; i < 4; i++)
			all((int8_t)(-3 * i), (uint16_t)(60000 + i), -70000 * i, UINT64_MAX - (uint64_t)i, i / 3.0, -1.5f * (float)i, i);
		return 0;
	}
	if (strcmp(word, "integers") == 0) {
		for (int i = 0; i < 4; i++)
			integers((int8_t)(-3 * i), (uint16_t)(60000 + i), -70000000000L * i);
		return 0;
	}
	if (strcmp(word, "kept") == 0) {
		struct itimerval often = { { 0, 200 }, { 0, 200 } };
		int good = 0;

		signal(SIGALRM, on_alarm);
		setitimer(ITIMER_REAL, &often, NULL);
		for (int i = 0; i < 2000; i++)
			good += kept();
		memset(&often, 0, sizeof(often));
		setitimer(ITIMER_REAL, &often, NULL);
		printf("%d %ld\n", good, interrupted);
		return 0;
	}
	if (strcmp(word, "threads") == 0) {
		pthread_t threads[4];

		for (long i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, count, (void *)(intptr_t)i);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		return 0;
	}
	if (strcmp(word, "blocked") == 0) {
		signals_are_blocked();
		return 0;
	}
	if (strcmp(word, "own") == 0) {
		struct sigaction before;

		signal(SIGTRAP, on_trap);
		DTRACE_PROBE1(foreign, blocked, 1);
		raise(SIGTRAP);
#ifdef __x86_64__
		__asm__ volatile("int3");
#else
		raise(SIGTRAP);
#endif
		sigaction(SIGTRAP, NULL, &before);
		printf("%d %d\n", own, before.sa_handler == on_trap);
		signal(SIGTRAP, SIG_DFL);
		DTRACE_PROBE1(foreign, blocked, 2);
		if (argc > 2)
			raise(SIGTRAP);
		return 0;
	}
	if (strcmp(word, "fork") == 0) {
		pid_t child = fork();
		int status = 0;

		DTRACE_PROBE1(foreign, forked, child == 0);
		if (child == 0)
			_exit(0);
		waitpid(child, &status, 0);
		return status != 0;
	}
	if (strcmp(word, "library") == 0) {
		for (int i = 0; i < atoi(argv[3]); i++) {
			void *library = dlopen(argv[2], RTLD_NOW);

			((int (*)(int))dlsym(library, "reach"))(i);
			dlclose(library);
		}
		return 0;
	}
	if (strcmp(word, "asked") == 0) {
		for (int i = 0; getchar() != EOF; i++) {
			DTRACE_PROBE1(foreign, asked, i);
			printf("done\n");
		}
		return 0;
	}
	return 2;
}

#endif
