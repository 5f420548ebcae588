/* SPDX-License-Identifier: MIT */
/*
 * ends.c - threads that make calls without a pause until the process ends, in the way that
 * the second argument names.
 *
 * Each thread increments its count, in a shared file, right after each call has
 * returned. After the end of the process the trace must have as many calls as
 * the file has, or one more for each thread.
 *
 * $1 the file, $2 the way, $3 number of threads, $4 number of calls before the end
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../common/work.h"

#define THREADS_MAX 64

static volatile uint64_t *counts;	/* of THREADS_MAX threads, 8 words apart */
static pthread_t threads[THREADS_MAX];
static int thread_count;
static uint64_t most;
static bool outlives;

TRACED void leaf(void)
{
	KEEP;
}

UNTRACED static bool main_has_ended(void)
{
	char line[256] = "";
	int fd = open("/proc/self/stat", O_RDONLY);
	bool is_read = read(fd, line, sizeof(line) - 1) > 0;

	close(fd);
	return is_read && strstr(line, ") Z");
}

UNTRACED static void *calls(void *count)
{
	volatile uint64_t *mine = count;

	while (!most || *mine < most) {
		leaf();
		++*mine;
	}
	while (outlives && !main_has_ended())
		usleep(1000);
	return NULL;
}

UNTRACED static void end(const char *way)
{
	if (strcmp(way, "exit") == 0)
		exit(3);
	if (strcmp(way, "_exit") == 0)
		_exit(3);
	if (strcmp(way, "quick_exit") == 0)
		quick_exit(3);
	if (strcmp(way, "abort") == 0)
		abort();
	if (strcmp(way, "term") == 0)
		raise(SIGTERM);
	if (strcmp(way, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(way, "segv") == 0)
		*(volatile int *)16 = 1;
	/* Allocates until the kernel kills the process. */
	while (strcmp(way, "memory") == 0) {
		char *memory = malloc(1 << 20);

		memset(memory, 1, 1 << 20);
		__asm__ volatile("" : : "r"(memory) : "memory");
	}
	if (strcmp(way, "exit_group") == 0)
		syscall(SYS_exit_group, 3);
	if (strcmp(way, "exec") == 0)
		execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
	if (strcmp(way, "pthread_exit") == 0)
		pthread_exit(NULL);
	/* The other threads of the program have ended. The runtime's thread has time to fall asleep. */
	if (strcmp(way, "thread_exit") == 0) {
		for (int i = 1; i < thread_count; i++)
			pthread_join(threads[i], NULL);
		usleep(300000);
	}
	if (strcmp(way, "thread_exit") == 0 || outlives)
		syscall(SYS_exit, 3);
	/* return: main returns; wait: the script sends a signal */
}

UNTRACED int main(int argc, char **argv)
{
	uint64_t before = argc > 4 ? strtoull(argv[4], NULL, 0) : 1000;
	int fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);

	thread_count = argc > 3 ? atoi(argv[3]) : 1;
	if (argc < 3 || fd < 0 || thread_count > THREADS_MAX || ftruncate(fd, THREADS_MAX * 64) < 0)
		return 1;
	counts = mmap(NULL, THREADS_MAX * 64, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (counts == MAP_FAILED)
		return 1;
	outlives = strcmp(argv[2], "outlived") == 0;
	if (outlives || strcmp(argv[2], "pthread_exit") == 0 || strcmp(argv[2], "thread_exit") == 0)
		most = before;
	for (int i = 1; i < thread_count; i++)
		pthread_create(&threads[i], NULL, calls, (void *)(counts + 8 * i));
	if (strcmp(argv[2], "wait") == 0)
		calls((void *)counts);
	while (counts[0] < before) {
		leaf();
		++counts[0];
	}
	for (int i = 1; i < thread_count; i++) {
		while (counts[8 * i] < before)
			usleep(100);
	}
	end(argv[2]);
	return 3;
}
