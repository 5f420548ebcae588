/* SPDX-License-Identifier: MIT */
/*
 * test_single_step_count.c - a signal handler that counts runs between any two instructions
 * of the code that counts a call: no call is lost or counted twice.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box.h"
#include "event/count_lanes.h"
#include "mode/counts.h"
#include "mode/mode.h"
#include "module/registry.h"
#include "stepping.h"
#include "event/thread.h"

void reach_through(uint32_t code, uint64_t flags, const void *trampoline);
void reach_tail_through(uint32_t code, uint64_t flags, const void *trampoline);

static uint64_t begun, ended;	/* calls of this process */
static bool is_child;

static void count(uint64_t flags)
{
	uint32_t code = SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, begun % BOX_COUNTED);

	begun++;
	reach_through(code, flags, spoor_count_entry);
	ended++;
}

/* These trampolines do not count. */
static void leave(uint64_t flags)
{
	reach_through(SPOOR_EVENT_CODE(SPOOR_EVENT_EXIT, 1), flags, spoor_count_exit);
}

static void leave_by_tail_call(uint64_t flags)
{
	reach_tail_through(SPOOR_EVENT_CODE(SPOOR_EVENT_TAIL_EXIT, 1), flags, spoor_count_tail);
}

static void arrive(uint64_t flags)
{
	reach_through(0, flags, spoor_no_unwind);
}

static uint64_t counted(void)
{
	uint64_t sum = spoor_counts->lost;

	for (uint32_t lane = 0; lane < spoor_counts->lanes; lane++)
		for (uint32_t i = 0; i < BOX_COUNTED; i++)
			sum += *(uint64_t *)((char *)spoor_counts + spoor_count_offset(lane, i));
	return sum;
}

static void act_count(void)
{
	for (int i = 0; i < 3; i++)
		count(0);
	leave(0);
}

/* The interrupted call belongs to the parent. */
static void act_forked(void)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		is_child = true;
		begun = 0;
		act_count();
	} else if (child < 0 || waitpid(child, &status, 0) != child || status) {
		box_fail("fork: %s, status 0x%x", strerror(errno), (unsigned int)status);
	}
}

static void act_jumped(void)
{
	act_count();
	siglongjmp(stepping_jump, 1);
}

static uint64_t missing;	/* number of missing calls before the stepped event */

/* A kill here leaves the counts as they are. The call that has not ended may be counted or not. */
static void act_killed(void)
{
	act_count();
	if (counted() + missing < ended || counted() + missing > begun)
		box_fail("%llu calls are left, of %llu that have ended and %llu that have begun",
			 (unsigned long long)counted(), (unsigned long long)ended, (unsigned long long)begun);
}

/* The kind of thread: one with its own lane, one that shares a lane because all are in use, or a new one. */
enum thread_kind { OWN_LANE, SHARES, NEW };
static const char *const thread_names[] = { "a thread", "a thread that shares its lane", "a new thread" };

static void prepare(enum thread_kind kind)
{
	if (spoor_thread != &spoor_detached_thread)
		spoor_count_lane_leave(spoor_thread);
	box_forget_thread();
	if (kind != NEW)
		count(0);
	if (kind == SHARES) {
		spoor_count_lane_leave(spoor_thread);
		spoor_thread->shares_counts = 1;
	}
	ended = begun;
	missing = begun - counted();
}

static const struct {
	const char *name;
	void (*run)(uint64_t flags);
	int least;		/* least number of steps */
} ways[] = {
	{ "a count", count, 9 },
	{ "an exit", leave, 2 },
	{ "a tail call", leave_by_tail_call, 2 },
	{ "an arrival", arrive, 2 },
};

/* Runs one event; the handler acts at step @at. @slack: how many calls may be missing */
static void run(void (*event)(uint64_t flags), int at, const char *cell, uint64_t slack)
{
	stepping_break(at, cell);
	if (sigsetjmp(stepping_jump, 1) == 0)
		event(0);
	stepping_unbreak();
	count(0);
	/* The interrupted call continues in the forked child, too. */
	if (is_child ? counted() - begun > 1 : begun - counted() - missing > slack)
		box_fail("%llu of %llu calls, %llu were missing before", (unsigned long long)counted(),
			 (unsigned long long)begun, (unsigned long long)missing);
	if (is_child)
		_exit(0);
}

static void at_each_step(enum thread_kind kind, void (*what)(void), const char *cell, uint64_t slack)
{
	static char text[200];

	for (size_t way = 0; way < sizeof(ways) / sizeof(*ways); way++) {
		prepare(kind);
		box_case = ways[way].name;
		stepping_watch(false);
		ways[way].run(STEPPING_TRAP_FLAG);
		stepping_unwatch();
		if (stepping_count - STEPPING_AFTER < ways[way].least || begun != counted() + missing)
			box_fail("%s: %d steps, %llu of %llu calls", ways[way].name, stepping_count,
				 (unsigned long long)counted(), (unsigned long long)begun);
		if (kind == NEW && ways[way].run == count)
			stepping_verify_callee((uintptr_t)spoor_count_slow, "spoor_count_slow");
		stepping_action = what;
		for (int at = 0; at < stepping_count - STEPPING_AFTER; at++) {
			snprintf(text, sizeof(text), "%s of %s, %s at step %d of %d, 0x%llx", ways[way].name,
				 thread_names[kind], cell, at, stepping_count,
				 (unsigned long long)stepping_at[at]);
			box_case = text;
			prepare(kind);
			run(ways[way].run, at, cell, slack);
		}
	}
}

static void forked(void)
{
	spoor_threads_after_fork();
	spoor_counts_forked();
}

START_TEST(a_handler_at_any_step_of_a_count_loses_and_doubles_no_call)
{
	spoor_configuration.mode = SPOOR_MODE_COUNT;
	spoor_mode_begin();
	spoor_mode_wake();
	stepping_begin();
	box_begin();
	spoor_counts_cover(spoor_registry_at(0));
	pthread_atfork(NULL, NULL, forked);
	for (enum thread_kind kind = OWN_LANE; kind < NEW; kind++) {
		at_each_step(kind, act_count, "logs", 0);
		at_each_step(kind, act_jumped, "jumps", 1);
		at_each_step(kind, act_forked, "forks", 0);
		at_each_step(kind, act_killed, "killed", 0);
	}
	/* Signals other than those of breakpoints are blocked during a thread's first event. The thread
	 * sanitizer blocks those of breakpoints, too. */
#ifndef __SANITIZE_THREAD__
	at_each_step(NEW, act_count, "logs", 0);
	at_each_step(NEW, act_killed, "killed", 0);
#endif
	stepping_end();
	box_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("single step of counts");
	TCase *cases = tcase_create("single step of counts");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, cases);
	tcase_set_timeout(cases, 900);
	tcase_add_test(cases, a_handler_at_any_step_of_a_count_loses_and_doubles_no_call);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
