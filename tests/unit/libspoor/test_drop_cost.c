/* SPDX-License-Identifier: MIT */
/*
 * test_drop_cost.c - an event that is dropped takes few instructions and no system call, whatever keeps it from
 * being stored, and whatever the size of the pool.
 *
 * Each test executes this program again, with the runtime's configuration in the environment. That process
 * exhausts its pool and then makes calls that are dropped, between stops. The test counts the instructions and
 * the system calls between the stops with ptrace(2).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/pool.h"
#include "event/slices.h"
#include "tests/unit/support/hand_module.h"
#include "tests/unit/support/reading.h"

#define STEPPED_CALLS 20
#define CALLS 2000
/* A call of the module has two events. A dropped event takes about 200 instructions, the call included. Steps take
 * so long that a search, which is due every few milliseconds, may happen twice. */
#define STEPS_MAX (STEPPED_CALLS * 2 * 400)
/* raise(3), and a wake of the drainer. */
#define SYSTEM_CALLS_MAX 16
/* Full slices of other threads, beside a thread at its limit. */
#define FULL_SLICES 100
#define SKIPPED 77

static struct hand_module module;
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
	       (!spoor_pool_limits.thread_slices || spoor_pool->full_count < FULL_SLICES))
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

static int dropping_process(void)
{
	uint64_t before;
	bool ring;

	hand_module_begin(&module, HAND_PAGES);
	hand_module_functions(&module, 64, 1000);
	hand_module_log(&module);
	hand_module_finish(&module);
	spoor_dso_register(module.dso);
	/* In a ring a thread with a slice uses it again. */
	in_a_thread(1);
	ring = spoor_pool->ring != 0;
	exhaust(ring);
	/* Until this thread has no slice, and the drainer knows that the disk is full. */
	for (int i = 0; i < 300000; i++)
		hand_module_call(&module, 5);
	if (strcmp(situation, "quarter") == 0)
		spoor_quarter_lower(spoor_thread);
	before = lost();
	raise(SIGSTOP);
	drop(STEPPED_CALLS);
	raise(SIGSTOP);
	drop(CALLS);
	raise(SIGSTOP);
	return lost() - before >= 2 * (STEPPED_CALLS + CALLS) - 4 ? 0 : 1;
}

/* Continues @process, by a @request of ptrace, until it stops itself. Returns how often it stopped before. */
static long run_to_stop(pid_t process, int request, long most)
{
	int status;

	for (long count = 0; count <= most; count++) {
		ck_assert_int_eq(ptrace(request, process, NULL, NULL), 0);
		ck_assert_int_eq(waitpid(process, &status, 0), process);
		ck_assert_msg(WIFSTOPPED(status), "the process ended with status 0x%x", status);
		if (WSTOPSIG(status) == SIGSTOP)
			return count;
		ck_assert_int_eq(WSTOPSIG(status), SIGTRAP);
	}
	return most + 1;
}

static void set(const char *name, const char *value)
{
	snprintf(environment[environment_count++], sizeof(environment[0]), "SPOOR_RUNTIME_%s=%s", name, value);
}

/* Counts the cost of drops in a process with the configuration that was set. */
static void check(const char *how)
{
	char path[96], folder[64];
	int status;
	pid_t process;
	long count;

	strcpy(folder, reading_folder());
	snprintf(path, sizeof(path), "%s/trace", folder);
	set("TRACE_PATH", path);
	process = fork();
	if (process == 0) {
		char *all[9] = { NULL };

		for (int i = 0; i < environment_count; i++)
			all[i] = environment[i];
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(SKIPPED);
		execle("/proc/self/exe", "test_drop_cost", how, NULL, all);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(process, &status, 0), process);
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
		fprintf(stderr, "skipped: ptrace cannot be used here\n");
		return;
	}
	ck_assert(WIFSTOPPED(status));
	ck_assert_int_eq(ptrace(PTRACE_SETOPTIONS, process, NULL, PTRACE_O_EXITKILL), 0);
	ck_assert_int_eq(run_to_stop(process, PTRACE_CONT, 0), 0);
	/* In a large pool a search takes so many steps that after it the next one is due. */
	count = run_to_stop(process, strcmp(how, "large") == 0 ? PTRACE_CONT : PTRACE_SINGLESTEP, STEPS_MAX);
	ck_assert_msg(count <= STEPS_MAX, "%s: more than %d instructions for %d dropped events", how, STEPS_MAX,
		      2 * STEPPED_CALLS);
	/* One stop before each system call, and one after it. */
	count = run_to_stop(process, PTRACE_SYSCALL, 2 * SYSTEM_CALLS_MAX);
	ck_assert_msg(count <= 2 * SYSTEM_CALLS_MAX, "%s: more than %d system calls for %d dropped events", how,
		      SYSTEM_CALLS_MAX, 2 * CALLS);
	ck_assert_int_eq(ptrace(PTRACE_CONT, process, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(process, &status, 0), process);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: the events were not dropped", how);
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
	check("large");
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
		a_drop_is_cheap_on_a_full_disk,
		a_drop_is_cheap_for_a_thread_at_its_limit,
		a_drop_is_cheap_while_the_slices_of_other_threads_are_freed,
		a_drop_is_cheap_after_a_quarter_has_passed,
	};

	if (argc > 1) {
		situation = argv[1];
		return dropping_process();
	}
	return unit_run("drop_cost", NULL, tests, sizeof(tests) / sizeof(*tests));
}
