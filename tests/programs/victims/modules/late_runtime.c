/* SPDX-License-Identifier: MIT */
/*
 * late_runtime.c - opens libspoor.so with dlopen, calls functions of spoor.h as its arguments say, and prints what
 * they return; between them three functions are called, in each of two threads.
 *
 *   enable, disable, on=FUNCTIONS, off=FUNCTIONS, state, call
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) void leaf(int x)
{
	__asm__ volatile("" : : "r"(x));
}

__attribute__((noinline)) void branch(int x)
{
	leaf(x);
	__asm__ volatile("");
}

static pthread_barrier_t turn;
static int turns;

/* Stays open while the main thread opens the runtime. */
__attribute__((noinline)) void *work(void *unused)
{
	for (;;) {
		pthread_barrier_wait(&turn);
		if (turns < 0)
			return unused;
		branch(turns);
		pthread_barrier_wait(&turn);
	}
}

__attribute__((noinline)) void call(int x)
{
	turns = x;
	pthread_barrier_wait(&turn);
	if (x < 0)
		return;
	branch(x);
	pthread_barrier_wait(&turn);
}

int main(int count, char **arguments)
{
	pthread_t thread;
	void *runtime;

	pthread_barrier_init(&turn, NULL, 2);
	pthread_create(&thread, NULL, work, NULL);
	call(0);
	runtime = dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL);
	if (!runtime)
		return 2;
	for (int i = 2; i < count; i++) {
		const char *word = arguments[i], *value = strchr(word, '=');
		long (*choose)(const char *, const char *) =
			(long (*)(const char *, const char *))dlsym(runtime, strncmp(word, "on", 2) == 0 ?
				"spoor_functions_enable" : "spoor_functions_disable");

		if (value)
			printf("%s %ld\n", word, choose("*", value + 1));
		else if (strcmp(word, "call") == 0)
			call(i);
		else if (strcmp(word, "state") == 0)
			printf("state %d\n", ((int (*)(void))dlsym(runtime, "spoor_is_enabled"))());
		else
			printf("%s %ld\n", word, ((long (*)(void))dlsym(runtime, strcmp(word, "enable") == 0 ?
				"spoor_enable" : "spoor_disable"))());
	}
	call(-1);
	pthread_join(thread, NULL);
	return 0;
}
