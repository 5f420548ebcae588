/* SPDX-License-Identifier: MIT */
/* test_thread.c - a thread gets a slot and slices at its first event, and returns them at its end. */
#include "event/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/unit/support/hand_module.h"
#include "event/pool.h"
#include "format/pool_memory.h"
#include "tests/unit/support/reading.h"
#include "api/runtime.h"
#include "trace/trace.h"

static struct hand_module module;
static struct trace trace;
static struct process process;
static char folder[64], trace_path[80];

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

static void in_a_thread(void *(*run)(void *), void *argument)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, run, argument), 0);
	pthread_join(thread, NULL);
}

static void *call_one(void *argument)
{
	uint32_t *local = argument;

	hand_module_call(&module, *local);
	return spoor_thread;
}

START_TEST(a_thread_has_no_slot_before_its_first_event)
{
	begin();
	ck_assert_ptr_eq(spoor_thread, &spoor_detached_thread);
	hand_module_call(&module, 0);
	ck_assert_ptr_ne(spoor_thread, &spoor_detached_thread);
	ck_assert_uint_eq(spoor_thread->thread_id, (uint32_t)gettid());
	ck_assert_uint_eq(spoor_thread->process_id, (uint32_t)getpid());
	finish();
	end();
}
END_TEST

START_TEST(slots_of_threads_that_ended_are_used_again)
{
	struct spoor_thread *slots[200], *different[200];
	uint32_t local = 7;
	int count = 0;

	begin();
	for (int i = 0; i < 200; i++) {
		pthread_t thread;
		void *slot;
		int at = 0;

		pthread_create(&thread, NULL, call_one, &local);
		pthread_join(thread, &slot);
		slots[i] = slot;
		ck_assert_ptr_ne(slots[i], &spoor_detached_thread);
		ck_assert_uint_eq(slots[i]->process_id, 0);
		while (at < count && different[at] != slots[i])
			at++;
		if (at == count)
			different[count++] = slots[i];
	}
	ck_assert_int_eq(count, 1);
	finish();
	/* The number of threads still counts each of them. */
	ck_assert_uint_eq(process.threads.count, 200);
	for (size_t i = 0; i < 200; i++)
		ck_assert_str_eq(reading_calls(&process, i), "7");
	end();
}
END_TEST

static pthread_barrier_t barrier;

static void *call_many(void *argument)
{
	uint32_t number = *(uint32_t *)argument;
	char name[16];

	snprintf(name, sizeof(name), "worker %u", number);
	prctl(PR_SET_NAME, name);
	pthread_barrier_wait(&barrier);
	for (uint32_t i = 0; i < 10000; i++)
		hand_module_call(&module, 100 * number + i % 100);
	pthread_barrier_wait(&barrier);
	return NULL;
}

START_TEST(threads_at_one_time_have_slices_of_their_own)
{
	enum { THREADS = 8 };
	pthread_t threads[THREADS];
	uint32_t numbers[THREADS];

	begin();
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (uint32_t i = 0; i < THREADS; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, call_many, &numbers[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	finish();
	ck_assert_uint_eq(process.threads.count, THREADS);
	for (size_t i = 0; i < THREADS; i++) {
		const char *name = process.threads.threads[i]->name;
		struct thread_events events;
		struct functions functions;
		struct event event;
		uint32_t number;
		uint64_t seen = 0;

		ck_assert_ptr_nonnull(name);
		ck_assert_int_eq(sscanf(name, "worker %u", &number), 1);
		ck_assert_int_eq(functions_begin(&functions, &process), 0);
		thread_events_begin(&events, &process, &functions, process.threads.threads[i]);
		while (thread_events_next(&events, &event) > 0) {
			/* A call that is open at the end of the thread is closed by an unwind event. */
			if (event.kind == EVENT_UNWIND)
				continue;
			ck_assert_uint_eq(functions.list[event.function].id, 100 * number + seen / 2 % 100);
			seen++;
		}
		ck_assert_uint_eq(seen, 20000);
		thread_events_end(&events);
		functions_end(&functions);
	}
	end();
}
END_TEST

static void *end_and_log(void *key)
{
	pthread_setspecific(*(pthread_key_t *)key, key);
	hand_module_call(&module, 1);
	return NULL;
}

static void late(void *key)
{
	(void)key;
	hand_module_call(&module, 2);
}

START_TEST(a_destructor_of_the_program_logs_as_its_thread)
{
	pthread_key_t key;

	begin();
	ck_assert_int_eq(pthread_key_create(&key, late), 0);
	in_a_thread(end_and_log, &key);
	finish();
	ck_assert_uint_eq(process.threads.count, 1);
	ck_assert_str_eq(reading_calls(&process, 0), "1 2");
	end();
}
END_TEST

static void *leave_and_log(void *unused)
{
	struct spoor_thread *slot;

	(void)unused;
	hand_module_call(&module, 3);
	slot = spoor_thread;
	spoor_detach(slot);
	ck_assert_ptr_eq(spoor_thread, &spoor_detached_thread);
	ck_assert_uint_eq(slot->process_id, 0);
	hand_module_call(&module, 4);
	return NULL;
}

START_TEST(a_thread_that_logs_after_it_left_is_the_same_thread)
{
	begin();
	in_a_thread(leave_and_log, NULL);
	finish();
	ck_assert_uint_eq(process.threads.count, 1);
	ck_assert_str_eq(reading_calls(&process, 0), "3 4");
	end();
}
END_TEST

START_TEST(a_first_event_under_the_registrys_lock_is_lost_and_counted)
{
	begin();
	spoor_registry_lock();
	hand_module_call(&module, 0);
	ck_assert_ptr_eq(spoor_thread, &spoor_detached_thread);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_NO_THREAD], 2);
	spoor_registry_unlock();
	hand_module_call(&module, 1);
	finish();
	ck_assert_str_eq(reading_calls(&process, 0), "1");
	for (size_t i = 0; i < process.loss_count; i++)
		ck_assert_uint_eq(process.losses[i].events, process.losses[i].cause == SPOOR_LOSS_NO_THREAD ? 2 : 0);
	ck_assert_uint_gt(process.loss_count, SPOOR_LOSS_NO_THREAD);
	end();
}
END_TEST

/* No slice returns to this pool, so the drainer cannot free any. */
START_TEST(events_without_a_slice_are_lost_and_counted_at_their_place)
{
	uint64_t taken[SPOOR_POOL_BITMAP_WORDS], calls = 0, lost;
	char *text, expected[64];

	begin();
	for (uint32_t i = 0; i < SPOOR_POOL_BITMAP_WORDS; i++)
		taken[i] = __atomic_exchange_n(&spoor_pool->free[i], i ? 0 : 1, __ATOMIC_ACQ_REL) & (i ? ~0ull : ~1ull);
	while (!(lost = spoor_pool->lost[SPOOR_LOSS_POOL_EXHAUSTED])) {
		hand_module_call(&module, 5);
		calls++;
		/* The drainer may have freed a slice in the meantime. */
		__atomic_fetch_and(&spoor_pool->free[0], 0, __ATOMIC_ACQ_REL);
	}
	ck_assert_uint_eq(spoor_thread->lost, lost);
	for (uint32_t i = 0; i < SPOOR_POOL_BITMAP_WORDS; i++)
		__atomic_fetch_or(&spoor_pool->free[i], taken[i], __ATOMIC_ACQ_REL);
	__atomic_fetch_add(&spoor_pool->freed, 1, __ATOMIC_RELEASE);
	hand_module_call(&module, 6);
	finish();
	snprintf(expected, sizeof(expected), "!256:%llu", (unsigned long long)lost);
	text = strstr(reading_calls(&process, 0), "!");
	ck_assert_ptr_nonnull(text);
	ck_assert_mem_eq(text, expected, strlen(expected));
	ck_assert_str_eq(text + strlen(text) - 2, " 6");
	ck_assert_uint_eq(process_words(&process), 2 * (calls + 1) - lost);
	end();
}
END_TEST

/* Takes the free slices that have memory, so that the drainer has no slice to give. Returns whether all such slices
 * are taken now. */
static int take_warm(uint64_t *taken)
{
	int all = 1;

	for (uint32_t i = 0; i < SPOOR_POOL_BITMAP_WORDS; i++) {
		uint64_t warm = spoor_pool_with_memory(spoor_pool, i);

		taken[i] |= __atomic_fetch_and(&spoor_pool->free[i], ~warm, __ATOMIC_ACQ_REL) & warm;
		all &= taken[i] == warm;
	}
	return all;
}

/* Free slices without memory do not make a thread search again. */
START_TEST(a_pool_that_may_not_grow_is_searched_once)
{
	uint64_t taken[SPOOR_POOL_BITMAP_WORDS] = { 0 }, lost;
	uint32_t pages = spoor_pool_limits.pages, freed;

	begin();
	hand_module_call(&module, 5);
	spoor_pool_limits.pages = 1;
	/* Logs until the thread has no slice, and the drainer has no slice that it could free. */
	do {
		lost = spoor_pool->lost[SPOOR_LOSS_POOL_EXHAUSTED];
		hand_module_call(&module, 5);
	} while (!take_warm(taken) || spoor_pool->lost[SPOOR_LOSS_POOL_EXHAUSTED] != lost + 2);
	lost += 2;
	/* The number may count the last slice later than its bit appears. */
	freed = __atomic_load_n(&spoor_pool->freed, __ATOMIC_RELAXED) + 1;
	for (int i = 0; i < 1000; i++)
		hand_module_call(&module, 5);
	ck_assert_uint_le(__atomic_load_n(&spoor_pool->freed, __ATOMIC_RELAXED), freed);
	ck_assert_uint_eq(spoor_pool->lost[SPOOR_LOSS_POOL_EXHAUSTED], lost + 2000);
	spoor_pool_limits.pages = pages;
	for (uint32_t i = 0; i < SPOOR_POOL_BITMAP_WORDS; i++)
		__atomic_fetch_or(&spoor_pool->free[i], taken[i], __ATOMIC_ACQ_REL);
	finish();
	end();
}
END_TEST

static uint32_t met;

static void count_thread(const struct spoor_thread *thread)
{
	ck_assert_uint_ne(thread->thread_id, 0);
	met++;
}

START_TEST(each_running_thread_that_logged_is_visited)
{
	uint32_t local = 1;

	begin();
	spoor_threads_for_each(count_thread);
	ck_assert_uint_eq(met, 0);
	hand_module_call(&module, 0);
	in_a_thread(call_one, &local);
	spoor_threads_for_each(count_thread);
	ck_assert_uint_eq(met, 1);
	finish();
	end();
}
END_TEST

UNIT_MAIN("thread", a_thread_has_no_slot_before_its_first_event, slots_of_threads_that_ended_are_used_again,
	  threads_at_one_time_have_slices_of_their_own, a_destructor_of_the_program_logs_as_its_thread,
	  a_thread_that_logs_after_it_left_is_the_same_thread,
	  a_first_event_under_the_registrys_lock_is_lost_and_counted,
	  events_without_a_slice_are_lost_and_counted_at_their_place,
	  a_pool_that_may_not_grow_is_searched_once, each_running_thread_that_logged_is_visited)
