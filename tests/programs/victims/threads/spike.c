/* SPDX-License-Identifier: MIT */
/*
 * spike.c - prints the resident memory of the pool in KiB, in one line each.
 *
 *   spike spare      before a burst of events, after it, and when nothing more is given back, or after 30 seconds
 *   spike reserved   at the start, after the end of the runtime, and after it was started again
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <spoor.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../common/work.h"

#define THREADS 8
#define ENOUGH_KIB 1024
#define TRIES 300

TRACED void leaf(void)
{
	KEEP;
}

UNTRACED static long pool_kib(void)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	long kib, sum = 0;
	int is_pool = 0;
	char line[4096];

	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long begin, end;

		if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			is_pool = strstr(line, "/memfd:spoor") || strstr(line, "/pool.spoor");
		else if (is_pool && sscanf(line, "Rss: %ld kB", &kib) == 1)
			sum += kib;
	}
	if (maps)
		fclose(maps);
	return sum;
}

UNTRACED static void *burst(void *unused)
{
	for (int i = 0; i < 200000; i++)
		leaf();
	return unused;
}

UNTRACED static void spare(void)
{
	pthread_t threads[THREADS];
	long kib = 0;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, burst, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", pool_kib());
	spoor_flush(-1);
	for (int i = 0; i < TRIES; i++) {
		kib = pool_kib();
		if (kib < ENOUGH_KIB)
			break;
		usleep(100000);
	}
	printf("%ld\n", kib);
}

UNTRACED int main(int argc, char **argv)
{
	leaf();
	printf("%ld\n", pool_kib());
	if (argc > 1 && strcmp(argv[1], "spare") == 0) {
		spare();
		return 0;
	}
	spoor_deinitialize();
	printf("%ld\n", pool_kib());
	spoor_initialize();
	printf("%ld\n", pool_kib());
	return 0;
}
