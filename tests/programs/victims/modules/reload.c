/* SPDX-License-Identifier: MIT */
/*
 * reload.c - opens and closes traced libraries again and again, while threads run in
 * another library whose functions are switched on and off.
 *
 * With $2 the process ends after that many milliseconds, in the middle of its work.
 *
 * $1 is the number of cycles. In each, one of two threads opens libred.so, libblue.so, or
 * both, calls each 3 times and closes it. Prints how often a library was loaded at its own
 * earlier address and at an address of the other library, and how many KiB memory grew between the first tenth
 * and the end.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spoor.h"
#include "../common/work.h"

int loaded_calls(int times);
#pragma weak spoor_functions_enable
#pragma weak spoor_functions_disable

static int cycles, cycle;
static volatile int stop;
static long same, other, changed;

TRACED void leaf(void)
{
	KEEP;
}

UNTRACED static void *runs(void *unused)
{
	for (long turn = 1; !stop; turn++) {
		if (loaded_calls(20) != 20)
			abort();
		leaf();
		/* Keeps the trace small. */
		if (turn % 50 == 0)
			usleep(1);
	}
	return unused;
}

UNTRACED static void *switches(void *unused)
{
	while (!stop) {
		long on, off;

		if (!spoor_functions_enable) {
			usleep(100);
			continue;
		}
		off = spoor_functions_disable("libloaded*,reload", "loaded_value");
		on = spoor_functions_enable("libloaded*", NULL);
		if (off < 0 || on < 0)
			abort();
		changed += off + on;
		off = spoor_functions_disable("libloaded.so", NULL);
		on = spoor_functions_enable(NULL, "loaded_*");
		if (off < 0 || on < 0)
			abort();
		changed += off + on;
	}
	return unused;
}

UNTRACED static void open_one(const char *name, const char *function)
{
	static uintptr_t last[2];
	void *library = dlopen(name, RTLD_NOW);
	struct link_map *map = library;
	int (*calls)(int), blue = strcmp(name, "./libblue.so") == 0;

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	calls = (__typeof__(calls))dlsym(library, function);
	if (calls(3) != 3)
		abort();
	if (__atomic_load_n(&last[blue], __ATOMIC_RELAXED) == map->l_addr)
		__atomic_fetch_add(&same, 1, __ATOMIC_RELAXED);
	if (__atomic_load_n(&last[!blue], __ATOMIC_RELAXED) == map->l_addr)
		__atomic_fetch_add(&other, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&last[blue], map->l_addr, __ATOMIC_RELAXED);
	dlclose(library);
}

UNTRACED static void *opens(void *unused)
{
	for (;;) {
		int number = __atomic_fetch_add(&cycle, 1, __ATOMIC_RELAXED);

		if (number >= cycles)
			return unused;
		if (number % 3 != 1)
			open_one("./libred.so", "red_calls");
		if (number % 3 != 0)
			open_one("./libblue.so", "blue_calls");
	}
}

/* Excludes the memory of files and shared memory, because the pool is both. */
UNTRACED static long private_kib(void)
{
	long resident, shared;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%*d %ld %ld", &resident, &shared) != 2)
		exit(1);
	fclose(file);
	return (resident - shared) * 4;
}

UNTRACED int main(int argc, char **argv)
{
	int all = argc > 1 ? atoi(argv[1]) : 300;
	pthread_t threads[5];
	long before;

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, runs, NULL);
	pthread_create(&threads[2], NULL, switches, NULL);
	if (argc > 2) {
		cycles = all;
		for (int i = 3; i < 5; i++)
			pthread_create(&threads[i], NULL, opens, NULL);
		usleep((useconds_t)atoi(argv[2]) * 1000);
		return 5;
	}
	for (int part = 0; part < 2; part++) {
		if (part == 1)
			before = private_kib();
		cycles = part == 0 ? all / 10 : all;
		cycle = part == 0 ? 0 : all / 10;
		for (int i = 3; i < 5; i++)
			pthread_create(&threads[i], NULL, opens, NULL);
		for (int i = 3; i < 5; i++)
			pthread_join(threads[i], NULL);
	}
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("grew %ld\n", private_kib() - before);
	/* Calls are exact again after all that. */
	if (spoor_functions_enable)
		spoor_functions_enable(NULL, NULL);
	for (int i = 0; i < 1000; i++) {
		open_one("./libred.so", "red_calls");
		/* No other thread opens a library that could take the address. */
		if (i % 10 == 0)
			open_one("./libblue.so", "blue_calls");
	}
	printf("same %ld\nother %ld\nchanged %ld\n", same, other, changed);
	return 0;
}
