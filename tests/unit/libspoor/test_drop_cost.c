/* SPDX-License-Identifier: MIT */
/*
 * test_drop_cost.c - an event that is dropped takes few instructions and no system call, whatever keeps it from
 * being stored, and whatever the size of the pool.
 *
 * Each test executes this program again, with the runtime's configuration in the environment. That process
 * exhausts its pool and then makes calls that are dropped, between stops. The test counts the instructions and
 * the system calls between the stops with ptrace(2). A search for a slice may take more of both, but there are few
 * searches: one for each slice that was freed, and one for each SPOOR_SEARCH_COUNTS that passed. So the result does
 * not depend on the speed of the machine.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time_source.h"
#include "event/pool.h"
#include "event/slices.h"
#include "tests/unit/support/hand_module.h"
#include "tests/unit/support/reading.h"

#define CALLS 2000
/* A call of the module has two events. A dropped event takes about 200 instructions, the call included. */
#define DROP_STEPS 400
/* Steps of a search: for itself, and for each slice of the pool. */
#define SEARCH_STEPS 2000
#define SLICE_STEPS 40
/* Wakes the drainer, starts nothing, reads the clock for the retention time. */
#define SEARCH_SYSTEM_CALLS 3
/* Those of raise(3). */
#define RAISE_SYSTEM_CALLS 6
/* Full slices of other threads, beside a thread at its limit. */
#define FULL_SLICES 100
#define SKIPPED 77
#define PHASES 3	/* after exhausting the pool, after the stepped calls, and after the other calls */

/* What the process has seen at the begin and the end of each phase. */
struct state {
	uint64_t counter, lost;
	uint32_t searches, freed, slices;
};

static struct hand_module module;
/* Time passes while the process is stepped, so each of these calls searches the pool: hundreds of thousands of steps. */
static int stepped_calls;
static char environment[8][128];
static int environment_count;

static void *call(void *calls)
{
	for (uintptr_t i = 0; i < (uintptr_t)calls; i++)
		hand_module_call(&module, i % 64);
	return NULL;
}

static void in_a_thread(uintptr_t calls)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, call, (void *)calls) != 0)
		_exit(1);
	pthread_join(thread, NULL);
}

/* Makes threads fill the pool. In a ring their slices stay for the retention time; otherwise the disk is full. */
static void exhaust(bool ring)
{
	const uint64_t *lost = spoor_pool->lost;
	struct rlimit none = { 0, 0 };

	if (!ring) {
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &none);
	}
	while (lost[SPOOR_LOSS_POOL_EXHAUSTED] + lost[SPOOR_LOSS_WRITE] == 0 &&
	       (!spoor_pool_limits.thread_slices || __atomic_load_n(&spoor_pool->full_count, __ATOMIC_RELAXED) < FULL_SLICES))
		in_a_thread(140000);
}

/* "freed": slices of other threads are freed; "quarter": the thread's last full time stamp is old. */
static const char *situation;

static void drop(int calls)
{
	for (int i = 0; i < calls; i++) {
		if (i % 16 == 0 && strcmp(situation, "freed") == 0)
			__atomic_fetch_add(&spoor_pool->freed, 1, __ATOMIC_RELEASE);
		hand_module_call(&module, 5);
	}
}

/* Returns the number of events that were lost. */
static uint64_t lost(void)
{
	uint64_t sum = 0;

	for (int cause = 0; cause < SPOOR_LOSS_COUNT; cause++)
		sum += spoor_pool->lost[cause];
	return sum;
}

static struct state now(void)
{
	return (struct state){
		.counter = spoor_counter(),
		.lost = lost(),
		.searches = spoor_failed_searches,
		.freed = spoor_pool->freed,
		.slices = spoor_pool->slice_count,
	};
}

/* Threads that have a slice and end with the process. */
static void *stay(void *barrier)
{
	hand_module_call(&module, 7);
	pthread_barrier_wait(barrier);
	pause();
	return NULL;
}

static void crowd(void)
{
	static pthread_barrier_t barrier;
	const uint64_t *losses = spoor_pool->lost;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	while (losses[SPOOR_LOSS_POOL_EXHAUSTED] == 0) {
		if (pthread_create(&thread, NULL, stay, &barrier) != 0)
			_exit(1);
		pthread_barrier_wait(&barrier);
	}
}

static int dropping_process(int out)
{
	struct state states[PHASES];
	bool ring;

	hand_module_begin(&module, HAND_PAGES);
	hand_module_functions(&module, 64, 1000);
	hand_module_log(&module);
	hand_module_finish(&module);
	spoor_dso_register(module.dso);
	in_a_thread(1);
	ring = spoor_pool->ring != 0;
	if (strcmp(situation, "crowd") == 0) {
		crowd();
		in_a_thread(1);
	} else {
		exhaust(ring);
	}
	/* Until this thread has lost its slice, and the drainer knows that the disk is full. */
	for (int i = 0; i < 300000; i++)
		hand_module_call(&module, 5);
	if (strcmp(situation, "quarter") == 0)
		spoor_quarter_lower(spoor_thread);
	states[0] = now();
	raise(SIGSTOP);
	drop(stepped_calls);
	raise(SIGSTOP);
	states[1] = now();
	drop(CALLS);
	raise(SIGSTOP);
	states[2] = now();
	return write(out, states, sizeof(states)) == sizeof(states) ? 0 : 1;
}

/* Continues @process, by a @request of ptrace, until it stops itself. Returns how often it stopped before. */
static uint64_t run_to_stop(pid_t process, int request)
{
	int status;

	for (uint64_t count = 0;; count++) {
		ck_assert_int_eq(ptrace(request, process, NULL, NULL), 0);
		ck_assert_int_eq(waitpid(process, &status, 0), process);
		ck_assert_msg(WIFSTOPPED(status), "the process ended with status 0x%x", status);
		if (WSTOPSIG(status) == SIGSTOP)
			return count;
		ck_assert_int_eq(WSTOPSIG(status), SIGTRAP);
	}
}

/* Checks that the events of a phase were dropped after few searches. Returns the number of searches. */
static uint64_t check_searches(const char *how, const struct state *before, const struct state *after, uint64_t events)
{
	uint64_t searches = after->searches - before->searches, freed = after->freed - before->freed;
	uint64_t most = freed + 1 + (after->counter - before->counter) / SPOOR_SEARCH_COUNTS;

	ck_assert_msg(after->lost - before->lost == events, "%s: %llu of %llu events were dropped", how,
		      (unsigned long long)(after->lost - before->lost), (unsigned long long)events);
	ck_assert_msg(searches <= most, "%s: %llu searches instead of at most %llu", how, (unsigned long long)searches,
		      (unsigned long long)most);
	return searches;
}

static void set(const char *name, const char *value)
{
	snprintf(environment[environment_count++], sizeof(environment[0]), "SPOOR_RUNTIME_%s=%s", name, value);
}

/* Counts the cost of drops in a process with the configuration that was set. */
static void check(const char *how)
{
	char path[96], folder[64];
	struct state states[PHASES];
	uint64_t steps, calls, most;
	int status, ends[2];
	pid_t process;

	strcpy(folder, reading_folder());
	snprintf(path, sizeof(path), "%s/trace", folder);
	set("TRACE_PATH", path);
	ck_assert_int_eq(pipe(ends), 0);
	process = fork();
	if (process == 0) {
		/* The leak sanitizer cannot stop the threads of a traced process, and tries for minutes. */
		char *all[10] = { "ASAN_OPTIONS=detect_leaks=0" }, out[16], stepped[16];

		for (int i = 0; i < environment_count; i++)
			all[i + 1] = environment[i];
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(SKIPPED);
		snprintf(out, sizeof(out), "%d", ends[1]);
		snprintf(stepped, sizeof(stepped), "%d", stepped_calls);
		execle("/proc/self/exe", "test_drop_cost", how, out, stepped, NULL, all);
		_exit(1);
	}
	close(ends[1]);
	ck_assert_int_eq(waitpid(process, &status, 0), process);
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
		fprintf(stderr, "skipped: ptrace cannot be used here\n");
		return;
	}
	ck_assert(WIFSTOPPED(status));
	ck_assert_int_eq(ptrace(PTRACE_SETOPTIONS, process, NULL, PTRACE_O_EXITKILL), 0);
	ck_assert_uint_eq(run_to_stop(process, PTRACE_CONT), 0);
	steps = run_to_stop(process, PTRACE_SINGLESTEP);
	/* One stop before each system call, and one after it. */
	calls = run_to_stop(process, PTRACE_SYSCALL) / 2;
	/* At its end the thread may write to the full disk itself. A traced process stops at ignored signals, too. */
	do {
		ck_assert_int_eq(ptrace(PTRACE_CONT, process, NULL, NULL), 0);
		ck_assert_int_eq(waitpid(process, &status, 0), process);
	} while (WIFSTOPPED(status) && WSTOPSIG(status) == SIGXFSZ);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: the process ended with 0x%x", how, status);
	ck_assert_int_eq(read(ends[0], states, sizeof(states)), sizeof(states));
	close(ends[0]);

	most = 2 * stepped_calls * DROP_STEPS + check_searches(how, &states[0], &states[1], 2 * stepped_calls) *
	       (SEARCH_STEPS + (uint64_t)states[0].slices * SLICE_STEPS);
	ck_assert_msg(steps <= most, "%s: %llu instructions for %d dropped events instead of at most %llu", how,
		      (unsigned long long)steps, 2 * stepped_calls, (unsigned long long)most);
	most = RAISE_SYSTEM_CALLS + SEARCH_SYSTEM_CALLS * check_searches(how, &states[1], &states[2], 2 * CALLS);
	ck_assert_msg(calls <= most, "%s: %llu system calls for %d dropped events instead of at most %llu", how,
		      (unsigned long long)calls, 2 * CALLS, (unsigned long long)most);
	reading_remove(folder);
}

START_TEST(a_drop_is_cheap_in_a_ring_that_keeps_the_events_of_ended_threads)
{
	set("MODE", "ring");
	set("EVENT_BUFFER_RETENTION_DURATION_NANOSECONDS", "600000000000");
	set("DYNAMIC_EVENT_POOL_CAPACITY", "262144");
	check("");
}
END_TEST

START_TEST(a_drop_is_cheap_in_a_large_ring)
{
	set("MODE", "ring");
	set("EVENT_BUFFER_RETENTION_DURATION_NANOSECONDS", "600000000000");
	set("DYNAMIC_EVENT_POOL_CAPACITY", "4194304");
	check("");
}
END_TEST

START_TEST(a_drop_is_cheap_in_a_ring_whose_slices_living_threads_have)
{
	set("MODE", "ring");
	set("DYNAMIC_EVENT_POOL_CAPACITY", "262144");
	check("crowd");
}
END_TEST

START_TEST(a_drop_is_cheap_while_a_slow_writer_frees_slices_that_other_threads_take)
{
	set("DYNAMIC_EVENT_POOL_CAPACITY", "262144");
	check("freed");
}
END_TEST

START_TEST(a_drop_is_cheap_on_a_full_disk)
{
	set("DYNAMIC_EVENT_POOL_CAPACITY", "262144");
	check("");
}
END_TEST

START_TEST(a_drop_is_cheap_for_a_thread_at_its_limit)
{
	set("THREAD_EVENT_BUFFER_CAPACITY", "8192");
	set("DYNAMIC_EVENT_POOL_CAPACITY", "524288");
	check("");
}
END_TEST

START_TEST(a_drop_is_cheap_while_the_slices_of_other_threads_are_freed)
{
	set("THREAD_EVENT_BUFFER_CAPACITY", "8192");
	set("DYNAMIC_EVENT_POOL_CAPACITY", "524288");
	check("freed");
}
END_TEST

START_TEST(a_drop_is_cheap_after_a_quarter_has_passed)
{
	set("DYNAMIC_EVENT_POOL_CAPACITY", "262144");
	check("quarter");
}
END_TEST

int main(int argc, char **argv)
{
	const TTest *const tests[] = {
		a_drop_is_cheap_in_a_ring_that_keeps_the_events_of_ended_threads,
		a_drop_is_cheap_in_a_large_ring,
		a_drop_is_cheap_in_a_ring_whose_slices_living_threads_have,
		a_drop_is_cheap_while_a_slow_writer_frees_slices_that_other_threads_take,
		a_drop_is_cheap_on_a_full_disk,
		a_drop_is_cheap_for_a_thread_at_its_limit,
		a_drop_is_cheap_while_the_slices_of_other_threads_are_freed,
		a_drop_is_cheap_after_a_quarter_has_passed,
	};

	if (argc > 3) {
		situation = argv[1];
		stepped_calls = atoi(argv[3]);
		return dropping_process(atoi(argv[2]));
	}
	stepped_calls = getenv("SPOOR_LONG") ? 20 : 5;
	return unit_run("drop_cost", NULL, tests, sizeof(tests) / sizeof(*tests));
}
