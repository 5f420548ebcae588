/* SPDX-License-Identifier: MIT */
/* schedule.c - switches from thread to thread at the points that a schedule names. */
#define _GNU_SOURCE
#include "schedule.h"

#include <errno.h>
#include <link.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS SCHEDULE_THREADS
#define PREEMPTIONS 2

/* The schedule: the points at which the running thread is interrupted. */
static long points, preempt_at[PREEMPTIONS];
static int preemptions;
static bool fine;		/* points are basic blocks; else locks and system calls only */

static struct thread {
	pthread_t thread;
	sem_t turn;
	void (*operation)(void);
	bool ended, blocked;
} threads[THREADS];
static sem_t all_ended;
static int begins;
static bool running;		/* a schedule is running */
static __thread int self = -1;
static __thread bool looking;
static int lock_owner = -1;	/* the thread that holds the registry's lock, or -1 */
static const char *name = "";

void schedule_wrong(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "interleavings: %s, %s begins, interrupted at", name, begins ? "the second" : "the first");
	for (int i = 0; i < preemptions; i++)
		fprintf(stderr, " %ld", preempt_at[i]);
	fprintf(stderr, " of %s: ", fine ? "basic blocks" : "locks and calls");
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	_exit(1);
}

static int next_of(int from)
{
	for (int i = 1; i <= THREADS; i++) {
		int thread = (from + i) % THREADS;

		if (!threads[thread].ended && !threads[thread].blocked)
			return thread;
	}
	return -1;
}

static void go_on(int thread)
{
	int me = self;

	sem_post(&threads[thread].turn);
	sem_wait(&threads[me].turn);
}

static void point(bool is_block)
{
	if (!running || self < 0 || looking)
		return;
	looking = true;
	schedule_test.look();
	looking = false;
	if (fine != is_block)
		return;
	points++;
	for (int i = 0; i < preemptions; i++) {
		int other = next_of(self);

		if (preempt_at[i] == points && other >= 0)
			go_on(other);
	}
}

/* The functions that the compiler inserts, and those that replace the runtime's calls. */
void __sanitizer_cov_trace_pc(void);
int box_mutex_lock(pthread_mutex_t *mutex);
int box_mutex_trylock(pthread_mutex_t *mutex);
int box_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until);
int box_mutex_unlock(pthread_mutex_t *mutex);
int box_mprotect(void *address, size_t bytes, int rights);
long box_syscall(long number, ...);
int box_begin_trace(void);
int box_iterate_phdr(int (*each)(struct dl_phdr_info *, size_t, void *), void *context);

void __sanitizer_cov_trace_pc(void)
{
	point(true);
}

int box_mutex_lock(pthread_mutex_t *mutex)
{
	if (!running || self < 0)
		return pthread_mutex_lock(mutex);
	point(false);
	while (lock_owner >= 0) {
		int other;

		threads[self].blocked = true;
		other = next_of(self);
		if (other < 0)
			schedule_wrong("both wait for ever");
		go_on(other);
	}
	lock_owner = self;
	return 0;
}

int box_mutex_trylock(pthread_mutex_t *mutex)
{
	if (!running || self < 0)
		return pthread_mutex_trylock(mutex);
	point(false);
	if (lock_owner >= 0)
		return EBUSY;
	lock_owner = self;
	return 0;
}

/* No process forks here, so the lock is always acquired in time. */
int box_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	(void)clock;
	(void)until;
	return box_mutex_lock(mutex);
}

int box_mutex_unlock(pthread_mutex_t *mutex)
{
	if (!running || self < 0)
		return pthread_mutex_unlock(mutex);
	if (lock_owner != self)
		schedule_wrong("a lock is given back that is not held");
	lock_owner = -1;
	for (int i = 0; i < THREADS; i++)
		threads[i].blocked = false;
	point(false);
	return 0;
}

int box_mprotect(void *address, size_t bytes, int rights)
{
	int result;

	point(false);
	result = mprotect(address, bytes, rights);
	if (running)
		schedule_test.mapped(result);
	point(false);
	return result;
}

unsigned long schedule_barriers;

long box_syscall(long number, ...)
{
	va_list arguments;
	long a, b, c;

	va_start(arguments, number);
	a = va_arg(arguments, int);
	b = va_arg(arguments, int);
	c = va_arg(arguments, int);
	va_end(arguments);
	point(false);
	schedule_barriers += number == SYS_membarrier && a == MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE;
	return syscall(number, a, b, c);
}

/*
 * The dynamic linker has its own lock: no thread is interrupted while it holds this lock, and no thread may call this
 * with the registry's lock (registry.h, I2).
 */
int box_iterate_phdr(int (*each)(struct dl_phdr_info *, size_t, void *), void *context)
{
	int result;

	if (running && self >= 0 && lock_owner == self)
		schedule_wrong("the dynamic linker is called under the registry's lock");
	point(false);
	looking = true;
	result = dl_iterate_phdr(each, context);
	looking = false;
	return result;
}

int box_begin_trace(void)
{
	return 0;
}

static void *run_thread(void *number)
{
	struct thread *thread = &threads[(int)(intptr_t)number];
	int next;

	self = (int)(intptr_t)number;
	sem_wait(&thread->turn);
	thread->operation();
	thread->ended = true;
	next = next_of(self);
	/* Code that runs after the operation is not scheduled. */
	self = -1;
	sem_post(next >= 0 ? &threads[next].turn : &all_ended);
	return NULL;
}

/* Runs one schedule. Returns the number of its points. */
static long run(void (*setup)(void), void (*const operations[THREADS])(void), int first)
{
	setup();
	points = 0;
	lock_owner = -1;
	sem_init(&all_ended, 0, 0);
	for (int i = 0; i < THREADS; i++) {
		threads[i] = (struct thread){ .operation = operations[i] };
		sem_init(&threads[i].turn, 0, 0);
		pthread_create(&threads[i].thread, NULL, run_thread, (void *)(intptr_t)i);
	}
	running = true;
	begins = first;
	sem_post(&threads[first].turn);
	sem_wait(&all_ended);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i].thread, NULL);
	running = false;
	schedule_test.check_end();
	schedule_test.clean_up();
	return points;
}

static long schedules;

static void each_schedule(void (*setup)(void), void (*const operations[THREADS])(void), int first, int most, long from)
{
	long length = run(setup, operations, first);

	schedules++;
	if (preemptions == most)
		return;
	for (long at = from; at <= length; at++) {
		preempt_at[preemptions++] = at;
		each_schedule(setup, operations, first, most, at + 1);
		preemptions--;
	}
}

long schedule_run(const struct schedule_case *test)
{
	name = test->name;
	schedules = 0;
	for (int first = 0; first < THREADS; first++) {
		fine = true;
		each_schedule(test->setup, test->operations, first, 1, 1);
		fine = false;
		each_schedule(test->setup, test->operations, first, PREEMPTIONS, 1);
	}
	return schedules;
}
