/* SPDX-License-Identifier: MIT */
/*
 * test_reclaim.c - slices of threads that log little can be taken at any moment, and no event is lost, stored twice,
 * or moved to another thread.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "event/pool.h"
#include "event/reclaim.h"
#include "event/slices.h"
#include "tests/unit/support/hand_module.h"
#include "tests/unit/support/reading.h"
#include "api/runtime.h"
#include "trace/trace.h"

#define THREADS 6u
#define FUNCTIONS 100u	/* of each thread */
#define CALLS 200000u
#define IDLE 40u

static struct hand_module module;
static struct trace trace;
static struct process process;
static char folder[64], trace_path[80];
static uint32_t running;
static uint64_t slices;		/* that the threads had */

static void begin(void)
{
	strcpy(folder, reading_folder());
	snprintf(trace_path, sizeof(trace_path), "%s/trace", folder);
	strcpy(spoor_configuration.trace_path, trace_path);
	hand_module_begin(&module, HAND_PAGES);
	hand_module_functions(&module, 64, 1000);
	hand_module_log(&module);
	hand_module_finish(&module);
	spoor_dso_register(module.dso);
	hand_module_call(&module, 999);
	/* Slices are always few, and may be taken at once. */
	spoor_pool_limits.low_water = SPOOR_POOL_SLICE_COUNT_MAX;
	spoor_reclaim_counts = 0;
}

static void finish(void)
{
	spoor_registry_lock();
	spoor_trace_end();
	spoor_registry_unlock();
	reading_open(trace_path, &trace, &process);
}

static void end(void)
{
	reading_close(&trace, &process);
	reading_remove(folder);
}

static void *call_many(void *argument)
{
	uint32_t number = *(uint32_t *)argument;
	char name[16];

	snprintf(name, sizeof(name), "worker %u", number);
	prctl(PR_SET_NAME, name);
	for (uint32_t i = 0; i < CALLS; i++) {
		hand_module_call(&module, FUNCTIONS * number + i % FUNCTIONS);
		/* A cursor that changes all the time is hard to replace. */
		for (volatile int pause = 0; pause < 100; pause++)
			;
		if (i % 64 == 0)
			spoor_reclaim(spoor_pool, spoor_thread);
	}
	__atomic_fetch_add(&slices, spoor_thread->next_sequence, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Checks that a thread's events are the calls of call_many, in their order. @holes: events may be missing. Returns the
 * number of events. */
static uint64_t check_thread(const struct thread_slices *thread, bool holes)
{
	struct thread_events events;
	struct functions functions;
	struct event event;
	uint32_t number;
	uint64_t seen = 0;

	ck_assert_ptr_nonnull(thread->name);
	ck_assert_int_eq(sscanf(thread->name, "worker %u", &number), 1);
	ck_assert_int_eq(functions_begin(&functions, &process), 0);
	thread_events_begin(&events, &process, &functions, thread);
	while (thread_events_next(&events, &event) > 0) {
		uint32_t id;

		if (event.kind == EVENT_LOST)
			ck_assert(holes);
		if (event.kind != EVENT_ENTRY && event.kind != EVENT_EXIT)
			continue;
		id = (uint32_t)functions.list[event.function].id;
		ck_assert_uint_eq(id / FUNCTIONS, number);
		if (!holes)
			ck_assert_uint_eq(id, FUNCTIONS * number + seen / 2 % FUNCTIONS);
		seen++;
	}
	thread_events_end(&events);
	functions_end(&functions);
	return seen;
}

START_TEST(slices_of_busy_threads_are_taken_at_any_moment)
{
	pthread_t threads[THREADS];
	uint32_t numbers[THREADS];
	uint64_t seen = 0, lost = 0;

	begin();
	running = THREADS;
	for (uint32_t i = 0; i < THREADS; i++) {
		numbers[i] = i;
		ck_assert_int_eq(pthread_create(&threads[i], NULL, call_many, &numbers[i]), 0);
	}
	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE))
		spoor_reclaim(spoor_pool, spoor_thread);
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int cause = 0; cause < SPOOR_LOSS_COUNT; cause++)
		lost += spoor_pool->lost[cause];
	finish();
	/* Some were taken before they were full: how many depends on the load of the machine. */
	ck_assert_uint_gt(slices, THREADS * (2ull * CALLS / SPOOR_SLICE_WORDS + 1));
	ck_assert_uint_eq(process.threads.count, THREADS + 1);
	for (size_t i = 0; i < process.threads.count; i++) {
		const char *name = process.threads.threads[i]->name;

		if (name && strncmp(name, "worker", strlen("worker")) == 0)
			seen += check_thread(process.threads.threads[i], lost != 0);
	}
	ck_assert_uint_eq(seen + lost, 2ull * THREADS * CALLS);
	end();
}
END_TEST

static pthread_barrier_t barrier;

static void *call_twice(void *unused)
{
	hand_module_call(&module, 1);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	hand_module_call(&module, 2);
	return unused;
}

START_TEST(a_thread_whose_slice_was_taken_goes_on)
{
	pthread_t threads[IDLE];
	uint32_t taken = 0;

	begin();
	pthread_barrier_init(&barrier, NULL, IDLE + 1);
	for (uint32_t i = 0; i < IDLE; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, call_twice, NULL), 0);
	pthread_barrier_wait(&barrier);
	for (uint32_t tries = 0; tries < IDLE; tries++)
		taken += spoor_reclaim(spoor_pool, spoor_thread);
	ck_assert_uint_le(taken, IDLE);
	pthread_barrier_wait(&barrier);
	for (uint32_t i = 0; i < IDLE; i++)
		pthread_join(threads[i], NULL);
	finish();
	ck_assert_uint_eq(process.threads.count, IDLE + 1);
	for (size_t i = 0; i < process.threads.count; i++)
		ck_assert_str_eq(reading_calls(&process, i), i ? "1 2" : "999");
	end();
}
END_TEST

/* The last slice does not show that the thread is there, so the reader takes the time from the pool. */
START_TEST(a_thread_without_its_slice_is_there_until_the_end)
{
	struct thread_events events;
	struct functions functions;
	struct event event;
	int64_t last_ns = 0;
	pthread_t thread;
	int seen = 0;

	begin();
	pthread_barrier_init(&barrier, NULL, 2);
	ck_assert_int_eq(pthread_create(&thread, NULL, call_twice, NULL), 0);
	pthread_barrier_wait(&barrier);
	ck_assert_uint_eq(spoor_reclaim(spoor_pool, spoor_thread), 1);
	usleep(1000);
	finish();
	ck_assert_uint_eq(process.threads.count, 2);
	ck_assert_str_eq(reading_calls(&process, 1), "1");
	ck_assert_int_eq(functions_begin(&functions, &process), 0);
	thread_events_begin(&events, &process, &functions, process.threads.threads[1]);
	events.reports_dormant = true;
	while (thread_events_next(&events, &event) > 0) {
		if (event.kind == EVENT_EXIT)
			last_ns = event.time_ns;
		if (event.kind != EVENT_SEEN)
			continue;
		ck_assert_int_gt(event.time_ns, last_ns);
		seen++;
	}
	ck_assert_int_eq(seen, 1);
	thread_events_end(&events);
	functions_end(&functions);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	end();
}
END_TEST

START_TEST(a_thread_keeps_its_slice_for_a_while_and_while_there_are_others)
{
	begin();
	pthread_barrier_init(&barrier, NULL, 2);
	spoor_reclaim_counts = UINT64_MAX >> 2;
	for (int few = 0; few < 2; few++) {
		pthread_t thread;

		ck_assert_int_eq(pthread_create(&thread, NULL, call_twice, NULL), 0);
		pthread_barrier_wait(&barrier);
		ck_assert_uint_eq(spoor_reclaim(spoor_pool, spoor_thread), 0);
		pthread_barrier_wait(&barrier);
		pthread_join(thread, NULL);
		spoor_reclaim_counts = 0;
		spoor_pool_limits.low_water = 1;
	}
	finish();
	end();
}
END_TEST

START_TEST(a_new_pool_has_no_claims_of_an_earlier_one)
{
	const uint32_t part = 5, slice = part * SPOOR_POOL_OPENING;
	struct spoor_pool *pool;
	int fd;

	begin();
	fd = memfd_create("pool", MFD_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	spoor_pool_bit_put(spoor_pool_opened, part);
	spoor_slice_claims[0] = spoor_slice_claims[slice] = SPOOR_CLAIM_DONE;
	ck_assert_int_eq(spoor_pool_create(fd, 1, SPOOR_POOL_SLICE_COUNT_MAX, &pool), 0);
	ck_assert_uint_eq(spoor_slice_claims[0], 0);
	ck_assert_uint_eq(spoor_slice_claims[slice], 0);
	spoor_pool_unmap(pool);
	close(fd);
	finish();
	end();
}
END_TEST

UNIT_MAIN("reclaim", slices_of_busy_threads_are_taken_at_any_moment, a_thread_whose_slice_was_taken_goes_on,
	  a_thread_without_its_slice_is_there_until_the_end,
	  a_thread_keeps_its_slice_for_a_while_and_while_there_are_others, a_new_pool_has_no_claims_of_an_earlier_one)
