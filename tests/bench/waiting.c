/* SPDX-License-Identifier: MIT */
/*
 * waiting.c - measures what a switch of threads, a new thread, a page fault, and a system call cost: prints the
 * nanoseconds of CPU time of each, on the last processor.
 *
 * usage: waiting switch | thread | fault | call
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SWITCHES = 200000, THREADS = 20000, ROUNDS = 2000, PAGES = 100, CALLS = 500000 };

static int there[2], back[2];

static double cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
}

__attribute__((noinline)) static void *answer(void *nothing)
{
	char byte;

	while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
		;
	return nothing;
}

__attribute__((noinline)) static void *end_at_once(void *nothing)
{
	return nothing;
}

/* Two threads on one processor wake each other. Returns the number of switches. */
static int switch_threads(void)
{
	pthread_t thread;
	char byte = 0;

	if (pipe(there) || pipe(back) || pthread_create(&thread, NULL, answer, NULL))
		return 0;
	for (int i = 0; i < SWITCHES / 2; i++)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			return 0;
	close(there[1]);
	pthread_join(thread, NULL);
	return SWITCHES;
}

static int start_threads(void)
{
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, end_at_once, NULL))
			return 0;
		pthread_join(thread, NULL);
	}
	return THREADS;
}

static int call_kernel(void)
{
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return CALLS;
}

static int touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (int i = 0; i < ROUNDS; i++) {
		char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			return 0;
		madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
		for (size_t j = 0; j < PAGES; j++)
			memory[j * page] = 1;
		munmap(memory, PAGES * page);
	}
	return ROUNDS * PAGES;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	cpu_set_t last;
	double begin;
	int count;

	CPU_ZERO(&last);
	CPU_SET((int)sysconf(_SC_NPROCESSORS_ONLN) - 1, &last);
	sched_setaffinity(0, sizeof(last), &last);
	begin = cpu_ns();
	count = strcmp(what, "switch") == 0 ? switch_threads() : strcmp(what, "thread") == 0 ? start_threads() :
		strcmp(what, "fault") == 0  ? touch_pages() : strcmp(what, "call") == 0 ? call_kernel() : 0;
	if (!count)
		return 1;
	printf("%.1f\n", (cpu_ns() - begin) / count);
	return 0;
}
