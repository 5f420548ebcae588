/* SPDX-License-Identifier: MIT */
/*
 * stacks.c - runs traced code on stacks that are small, switched, or nearly full.
 *
 *   fibres N   N coroutines with 8 KiB each, switched in turn, first in one thread and
 *              then in another
 *   deep       a recursion up to 4 KiB before the stack's end, in a thread
 *   over       a recursion past the end: the handler of SIGSEGV, on another stack,
 *              prints a line and ends the program
 *   huge-tls   512 KiB of thread-local variables
 *   exit       a thread with the smallest possible stack ends the program
 *   load LIB   such a thread loads a library
 *   alternate  a thread's first call is in a handler, on the handler's own stack; it is
 *              single-stepped, to find out where another such handler could begin
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include MACHINE_HEADER
#include "../common/work.h"

#define FIBRES_MAX 64
#define FIBRE_BYTES 8192

static ucontext_t fibres[FIBRES_MAX], scheduler;
static int fibre_count, done;
static char *end;
static long deepest;

TRACED int leaf(int value)
{
	KEEP;
	return value + 1;
}

TRACED int nested(int value)
{
	int result = leaf(value);

	KEEP;
	return result;
}

TRACED void fibre(int number)
{
	for (int i = 0; i < 100; i++) {
		if (nested(i) != i + 1)
			abort();
		swapcontext(&fibres[number], &scheduler);
	}
	done++;
}

UNTRACED static void *turns(void *rounds)
{
	for (intptr_t i = 0; i < (intptr_t)rounds; i++) {
		for (int j = 0; j < fibre_count; j++)
			swapcontext(&scheduler, &fibres[j]);
	}
	return NULL;
}

UNTRACED static void switch_fibres(int count)
{
	pthread_t thread;

	fibre_count = count;
	for (int i = 0; i < count; i++) {
		getcontext(&fibres[i]);
		fibres[i].uc_stack.ss_sp = malloc(FIBRE_BYTES);
		fibres[i].uc_stack.ss_size = FIBRE_BYTES;
		fibres[i].uc_link = &scheduler;
		makecontext(&fibres[i], (void (*)(void))fibre, 1, i);
	}
	turns((void *)50);
	pthread_create(&thread, NULL, turns, (void *)51);
	pthread_join(thread, NULL);
	printf("done %d\n", done);
}

TRACED long recurse(long depth)
{
	char *here = __builtin_frame_address(0);

	if (here < end) {
		deepest = depth;
		return depth;
	}
	depth = recurse(depth + 1);
	KEEP;
	return depth;
}

UNTRACED static void *deep(void *above)
{
	pthread_attr_t attributes;
	size_t size;
	void *low;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &low, &size);
	end = (char *)low + (intptr_t)above;
	leaf(1);
	recurse(1);
	return NULL;
}

UNTRACED static void overflowed(int signal)
{
	static const char text[] = "overflow\n";

	(void)signal;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) > 0)
		_exit(4);
}

UNTRACED static void *over(void *unused)
{
	static char stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = overflowed, .sa_flags = SA_ONSTACK };

	(void)unused;
	sigaltstack(&alternate, NULL);
	sigaction(SIGSEGV, &action, NULL);
	return deep(0);
}

UNTRACED static void *exits(void *unused)
{
	(void)unused;
	leaf(1);
	exit(0);
}

UNTRACED static void *loads(void *library)
{
	leaf(1);
	return dlopen(library, RTLD_NOW);
}

/* Returns the thread's result. */
UNTRACED static void *with_small_stack(void *(*function)(void *), void *argument)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *result;

	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) != 0 ||
	    pthread_create(&thread, &attributes, function, argument) != 0)
		abort();
	pthread_join(thread, &result);
	return result;
}

#if MACHINE_STEPS_EACH
static char alternate[65536];
static long steps, exposed;

/* Runs after each instruction of the handler. If the thread has left the handler's stack, the next
 * handler would begin at the end of that stack. */
UNTRACED static void stepped(int number, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	char *stack = machine_stack(interrupted);

	(void)number;
	(void)info;
	steps++;
	if ((stack < alternate || stack >= alternate + sizeof(alternate)) &&
	    !sigismember(&interrupted->uc_sigmask, SIGUSR2))
		exposed++;
}

UNTRACED static void first_call(int number)
{
	(void)number;
	machine_steps(1);
	leaf(1);
	machine_steps(0);
}

UNTRACED static void *alternates(void *unused)
{
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct sigaction first = { .sa_handler = first_call, .sa_flags = SA_ONSTACK };
	struct sigaction step = { .sa_sigaction = stepped, .sa_flags = SA_SIGINFO };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &first, NULL);
	sigaction(SIGTRAP, &step, NULL);
	raise(SIGUSR1);
	fprintf(stderr, "steps %ld\n", steps);
	printf("exposed %ld\n", exposed);
	return unused;
}
#endif

static __thread char large[512 << 10];

UNTRACED int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	pthread_t thread;

	if (strcmp(mode, "fibres") == 0) {
		switch_fibres(argc > 2 ? atoi(argv[2]) : 8);
	} else if (strcmp(mode, "deep") == 0) {
		pthread_create(&thread, NULL, deep, (void *)4096);
		pthread_join(thread, NULL);
		fprintf(stderr, "deepest %ld\n", deepest);
	} else if (strcmp(mode, "over") == 0) {
		pthread_create(&thread, NULL, over, NULL);
		pthread_join(thread, NULL);
	} else if (strcmp(mode, "huge-tls") == 0) {
		large[leaf(argc)] = 1;
		puts("huge");
	} else if (strcmp(mode, "exit") == 0) {
		with_small_stack(exits, NULL);
	} else if (strcmp(mode, "load") == 0 && argc > 2) {
		puts(with_small_stack(loads, argv[2]) ? "loaded" : dlerror());
#if MACHINE_STEPS_EACH
	} else if (strcmp(mode, "alternate") == 0) {
		pthread_create(&thread, NULL, alternates, NULL);
		pthread_join(thread, NULL);
#endif
	} else {
		return 2;
	}
	return 0;
}
