/* SPDX-License-Identifier: MIT */
/*
 * waits.c - functions that work, wait and take page faults; prints how long by its own clocks.
 *
 * usage: waits ROUNDS [fork | threads]
 *
 * Prints a line for each function: its name, calls, ns of CLOCK_MONOTONIC, ns of
 * CLOCK_THREAD_CPUTIME_ID, and page faults by getrusage(2). Another thread holds the mutex and writes to
 * the pipe. With "fork", a child does the same after its parent, and prints its process ID in front.
 * With "threads", each round has its own thread.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_instrument_function, noinline))
#define TRACED __attribute__((noinline)) static
#define PAGES 50u

enum { SPIN, SLEEP, LOCK, READ, TOUCH, ALL, KINDS };
static const char *const names[KINDS] = { "spin", "take_a_nap", "take_lock", "read_pipe", "touch_pages", "all" };

static int64_t wall[KINDS], cpu[KINDS];
static long calls[KINDS], faults[KINDS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static bool over;
static int ends[2];
static volatile uint64_t sink;

UNTRACED static int64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

UNTRACED static long own_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

UNTRACED static void begin(int kind)
{
	faults[kind] -= own_faults();
	wall[kind] -= now(CLOCK_MONOTONIC);
	cpu[kind] -= now(CLOCK_THREAD_CPUTIME_ID);
}

UNTRACED static void end(int kind)
{
	cpu[kind] += now(CLOCK_THREAD_CPUTIME_ID);
	wall[kind] += now(CLOCK_MONOTONIC);
	faults[kind] += own_faults();
	calls[kind]++;
}

UNTRACED static void work(int64_t ns)
{
	int64_t until = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < until)
		sink++;
}

TRACED void spin(void)
{
	begin(SPIN);
	work(2000000);
	end(SPIN);
}

TRACED void take_a_nap(void)
{
	begin(SLEEP);
	work(100000);
	nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
	end(SLEEP);
}

TRACED void take_lock(void)
{
	begin(LOCK);
	work(500000);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	end(LOCK);
}

TRACED void read_pipe(void)
{
	char byte;

	begin(READ);
	if (read(ends[0], &byte, 1) != 1)
		abort();
	end(READ);
}

TRACED void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory;

	begin(TOUCH);
	memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	munmap(memory, PAGES * page);
	end(TOUCH);
}

TRACED void all(void)
{
	begin(ALL);
	spin();
	take_a_nap();
	take_lock();
	read_pipe();
	touch_pages();
	end(ALL);
}

static void *help(void *nothing)
{
	for (;;) {
		pthread_barrier_wait(&barrier);
		if (over)
			return nothing;
		pthread_mutex_lock(&mutex);
		pthread_barrier_wait(&barrier);
		/* Until long after the main thread has begun to wait for the mutex. */
		nanosleep(&(struct timespec){ 0, 12000000 }, NULL);
		pthread_mutex_unlock(&mutex);
		nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
		if (write(ends[1], "", 1) != 1)
			abort();
	}
}

static void *call_all(void *nothing)
{
	all();
	return nothing;
}

static void run(int rounds, bool in_threads)
{
	pthread_t helper, thread;

	over = false;
	if (pipe(ends) || pthread_barrier_init(&barrier, NULL, 2) || pthread_create(&helper, NULL, help, NULL))
		abort();
	for (int i = 0; i < rounds; i++) {
		pthread_barrier_wait(&barrier);
		/* The helper has the mutex. */
		pthread_barrier_wait(&barrier);
		if (!in_threads)
			all();
		else if (pthread_create(&thread, NULL, call_all, NULL) || pthread_join(thread, NULL))
			abort();
	}
	over = true;
	pthread_barrier_wait(&barrier);
	pthread_join(helper, NULL);
	for (int i = 0; i < KINDS; i++)
		printf("%d %s %ld %lld %lld %ld\n", getpid(), names[i], calls[i], (long long)wall[i], (long long)cpu[i], faults[i]);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 20, status = 0;

	run(rounds, argc > 2 && strcmp(argv[2], "threads") == 0);
	if (argc > 2 && strcmp(argv[2], "fork") == 0) {
		pid_t child = fork();

		if (child == 0) {
			memset(wall, 0, sizeof(wall));
			memset(cpu, 0, sizeof(cpu));
			memset(calls, 0, sizeof(calls));
			memset(faults, 0, sizeof(faults));
			run(rounds, false);
			exit(0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child)
			return 1;
	}
	return status != 0;
}
