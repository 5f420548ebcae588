/* SPDX-License-Identifier: MIT */
/*
 * test_single_step.c - a signal handler that logs comes between any two
 * instructions of a trampoline and of all that it calls.
 *
 * Each case is one event. It is logged once with the trap flag set, which says
 * where its instructions are, those of the slow path's C and of libc too. Then
 * once for each of them with a breakpoint there, whose handler acts: a trap of
 * the trap flag costs 20 us in a virtual machine. The counter is turned by the test.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "box.h"
#include "counts.h"
#include "mode.h"
#include "pool.h"
#include "registry.h"
#include "runtime.h"
#include "thread.h"
#include "turned_counter.h"

#define TRAP_FLAG 0x100
#define BREAKPOINT 0xcc
#define STEPS_MAX 20000

#define QUARTER (1ull << SPOOR_QUARTER_SHIFT)

static const enum spoor_event_kind kinds[] = { SPOOR_EVENT_ENTRY, SPOOR_EVENT_EXIT, SPOOR_EVENT_TAIL_EXIT,
					       SPOOR_EVENT_FRAME, SPOOR_EVENT_UNWIND };

static void (*action)(void);
static uint64_t action_jump;
static bool action_done;

/* The instructions of the last event that was single-stepped. */
static uint64_t steps[STEPS_MAX];
static int step_count;
static bool acts_at_every_step;

static sigjmp_buf jumped;
static bool is_child;

static uint8_t *breakpoint, breakpoint_byte;
static int breakpoint_passes;	/* how often it is passed before the handler acts */

static void act(void)
{
	int saved = errno;

	action_done = true;
	box_group_begin();
	action();
	box_group_end();
	errno = saved;
}

static void step(uint64_t instruction)
{
	if (step_count == STEPS_MAX)
		box_fail("more than %d steps", STEPS_MAX);
	steps[step_count++] = instruction;
	if (acts_at_every_step)
		act();
}

/* Text has no shadow memory. */
__attribute__((no_sanitize("thread"))) static void breakpoint_put(uint8_t byte)
{
	*(volatile uint8_t *)breakpoint = byte;
}

__attribute__((no_sanitize("thread"))) static uint8_t breakpoint_get(void)
{
	return *(volatile uint8_t *)breakpoint;
}

static void trapped(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	if (!breakpoint) {
		step((uint64_t)registers[REG_RIP]);
	} else if (breakpoint_get() != BREAKPOINT) {		/* passed it by one step */
		breakpoint_put(BREAKPOINT);
		registers[REG_EFL] &= ~TRAP_FLAG;
	} else {
		breakpoint_put(breakpoint_byte);
		registers[REG_RIP]--;
		if (breakpoint_passes-- > 0)
			registers[REG_EFL] |= TRAP_FLAG;
		else
			act();
	}
}

static void set_breakpoint(int at)
{
	uint64_t page = steps[at] & -4096ull;

	breakpoint = (uint8_t *)steps[at];
	breakpoint_byte = breakpoint_get();
	breakpoint_passes = 0;
	for (int i = 0; i < at; i++)
		breakpoint_passes += steps[i] == steps[at];
	if (mprotect((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		box_fail("no breakpoint can be set: %s", strerror(errno));
	breakpoint_put(BREAKPOINT);
}

/* What a handler may do. */

static void act_pair(void)
{
	box_log_pair();
}

/* Its events end one slice and begin the next. */
static void act_cross(void)
{
	box_leave_room(1);
	for (int i = 0; i < 3; i++)
		box_log_pair();
}

static void act_late_pair(void)
{
	turned_counter += action_jump;
	box_log_pair();
}

static void act_pair_then_late(void)
{
	box_log_pair();
	turned_counter += action_jump;
}

static void act_late_cross(void)
{
	turned_counter += action_jump;
	act_cross();
}

static void act_late(void)
{
	turned_counter += action_jump;
}

/* While it runs, another thread of the process empties the pool. */
static void act_drained(void)
{
	for (int i = 0; i < 3; i++) {
		act_cross();
		spoor_drain_run(&box_drain, false);
	}
}

/* It uses its slice up and finds no other. */
static void act_exhausted(void)
{
	uint64_t free[SPOOR_POOL_BITMAP_WORDS];

	act_cross();
	memcpy(free, spoor_pool->free, sizeof(free));
	memset(spoor_pool->free, 0, sizeof(free));
	act_cross();
	memcpy(spoor_pool->free, free, sizeof(free));
}

static void act_exhausted_then_pair(void)
{
	act_exhausted();
	box_log_pair();
}

/* It never returns. */
static void act_jumped(void)
{
	box_log_pair();
	siglongjmp(jumped, 1);
}

/* It forks, and both processes go on with the interrupted event. */
static void fork_and_wait(bool child_logs)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		box_forked();
		is_child = true;
		if (child_logs)
			box_log_pair();
		return;
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		box_fail("fork: %s", strerror(errno));
	if (status)
		box_fail("the child's status is 0x%x", (unsigned int)status);
	box_log_pair();
}

static void act_forked(void)
{
	fork_and_wait(false);
}

static void act_forked_child_logs(void)
{
	fork_and_wait(true);
}

/* Where the thread stands when the stepped event comes. */
struct place {
	const char *name;
	int room;		/* words left in its slice; -1: never logged */
	uint64_t age;		/* of its last event */
};

static const struct place places[] = {
	{ "within a slice", 100, 0 },
	{ "within a slice after a quarter of the counter", 100, QUARTER },
	{ "within a slice after a turn of the counter", 100, 4 * QUARTER + 5 },
	{ "at a slice's end", 0, 0 },
	{ "at a slice's end after half a turn of the counter", 0, 2 * QUARTER + 1 },
	{ "one word before a slice's end", 1, 0 },
	{ "one word before a slice's end after a quarter", 1, QUARTER },
	{ "two words before a slice's end after a quarter", 2, QUARTER },
	{ "three words before a slice's end after a quarter", 3, QUARTER },
	{ "four words before a slice's end after a quarter", 4, QUARTER },
	{ "five words before a slice's end after a turn", 5, 4 * QUARTER },
};

static const struct place new_thread = { "in a new thread", -1, 0 };

static void prepare(const struct place *place)
{
	box_reset();
	turned_counter = 0x123456789abull;
	if (turned_counter_begin() < 0)
		box_fail("rdtsc cannot be made to fault");
	if (place->room >= 0) {
		box_log_pair();
		box_leave_room((uint32_t)place->room);
	}
	turned_counter += place->age;
	action_done = false;
}

/* What the handler does, and what may be missing afterwards. */
struct plan {
	const char *name;
	void (*action)(void);
	uint64_t jump;			/* of the counter */
	uint32_t loss;
	enum spoor_loss_cause cause;
	uint32_t holes;
};

/* Single-steps one event, and acts at every step or at none. */
static void run_stepped(const struct place *place, enum spoor_event_kind kind, void (*what)(void), uint32_t loss)
{
	static char text[200];

	snprintf(text, sizeof(text), "event of kind %d %s, single-stepped", kind, place->name);
	box_case = text;
	prepare(place);
	action = what;
	acts_at_every_step = what;
	step_count = 0;
	turned_counter_stepped = step;
	box_log(kind, TRAP_FLAG);
	turned_counter_stepped = NULL;
	box_log_pair();
	box_verify_loss(loss, SPOOR_LOSS_NO_THREAD, 0);
	if (step_count < 20)
		box_fail("only %d steps", step_count);
}

/* Logs one event with the handler acting at one of the steps. */
static void run(const struct place *place, enum spoor_event_kind kind, const struct plan *plan, int at)
{
	static char text[200];

	snprintf(text, sizeof(text), "event of kind %d %s, handler %s, jump 0x%llx, at step %d of %d, 0x%llx", kind,
		 place->name, plan->name, (unsigned long long)plan->jump, at, step_count,
		 (unsigned long long)steps[at]);
	box_case = text;
	prepare(place);
	action = plan->action;
	action_jump = plan->jump;
	set_breakpoint(at);
	if (sigsetjmp(jumped, 1) == 0)
		box_log(kind, 0);
	else
		box_abandon_open();
	breakpoint = NULL;
	box_log_pair();
	if (plan->action == act_jumped)
		act_drained();
	box_verify_loss(plan->loss, plan->cause, plan->holes);
	if (!action_done)
		box_fail("the breakpoint was not reached");
	if (is_child)
		_exit(0);
}

static void begin(void)
{
	struct sigaction trap = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };

	turned_counter_handle(SIGTRAP, &trap);
	box_begin();
}

/* Every kind, the handler acting at every step in turn. */
static void at_each_step(const struct place *place, const struct plan *plan)
{
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		run_stepped(place, kinds[k], NULL, 0);
		/* The last two are the caller's that clear the trap flag. */
		for (int at = 0; at < step_count - 2; at++)
			run(place, kinds[k], plan, at);
	}
}

static void at_each_step_everywhere(const struct plan *plan)
{
	for (size_t place = 0; place < sizeof(places) / sizeof(*places); place++)
		at_each_step(&places[place], plan);
}

START_TEST(events_of_a_handler_at_every_step_are_stored_once_and_dated_right)
{
#ifdef __SANITIZE_THREAD__
	return;		/* it blocks all signals in what attaching calls */
#endif
	begin();
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		for (size_t place = 0; place < sizeof(places) / sizeof(*places); place++)
			run_stepped(&places[place], kinds[k], act_pair, 0);
	}
	box_end();
}
END_TEST

static const struct plan plans[] = {
	{ "that logs a pair", act_pair, .jump = 0 },
	{ "that switches slices", act_cross, .jump = 0 },
	{ "beside a drainer", act_drained, .jump = 0 },
	{ "that comes a quarter later", act_late_pair, .jump = QUARTER },
	{ "that comes half a turn later", act_late_pair, .jump = 2 * QUARTER + 7 },
	{ "that comes many turns later", act_late_pair, .jump = 403 * QUARTER },
	{ "that lasts half a turn", act_pair_then_late, .jump = 2 * QUARTER + 7 },
	{ "that lasts many turns", act_pair_then_late, .jump = 403 * QUARTER },
	{ "that switches slices many turns later", act_late_cross, .jump = 403 * QUARTER },
	{ "that logs nothing and lasts half a turn", act_late, .jump = 2 * QUARTER + 7 },
	{ "that logs nothing and lasts many turns", act_late, .jump = 403 * QUARTER },
	{ "that exhausts the pool", act_exhausted, 0, 8, SPOOR_LOSS_POOL_EXHAUSTED, 0 },
	{ "that exhausts the pool and logs on", act_exhausted_then_pair, 0, 8, SPOOR_LOSS_POOL_EXHAUSTED, 0 },
	/* A record of three words, or one word. */
	{ "that jumps out", act_jumped, 0, 0, SPOOR_LOSS_POOL_EXHAUSTED, 3 },
};

START_TEST(a_handler_at_any_step_overwrites_loses_and_misdates_nothing)
{
	begin();
	at_each_step_everywhere(&plans[_i]);
	box_end();
}
END_TEST

START_TEST(a_handler_at_any_step_of_a_threads_first_event_loses_only_what_is_counted)
{
	static const struct plan pair = { "that logs a pair", act_pair, 0, 2, SPOOR_LOSS_NO_THREAD, 0 };
	static const struct plan cross = { "that switches slices", act_cross, 0, 6, SPOOR_LOSS_NO_THREAD, 0 };

#ifdef __SANITIZE_THREAD__
	return;		/* it blocks all signals in what attaching calls */
#endif
	begin();
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		run_stepped(&new_thread, kinds[k], act_pair, UINT32_MAX);
	at_each_step(&new_thread, &pair);
	at_each_step(&new_thread, &cross);
	box_end();
}
END_TEST

START_TEST(a_handler_that_forks_at_any_step_harms_neither_process)
{
	static const struct plan silent = { "that forks", act_forked, .jump = 0 };
	static const struct plan loud = { "that forks a child that logs", act_forked_child_logs, .jump = 0 };

	begin();
	/* Within a slice and at its end; a fork takes its time. */
	for (size_t place = 0; place < sizeof(places) / sizeof(*places); place += getenv("SPOOR_LONG") ? 1 : 3) {
		if (place > 3 && !getenv("SPOOR_LONG"))
			break;
		at_each_step(&places[place], &silent);
		at_each_step(&places[place], &loud);
	}
	/* As it is where fork was called through libc. */
	pthread_atfork(NULL, NULL, spoor_threads_after_fork);
	at_each_step(&places[0], &loud);
	box_end();
}
END_TEST

/* The same of what counts instead of logging. */

void reach_count(uint32_t code, uint64_t flags);

static uint64_t calls;		/* that were made in this process */

static void count(uint64_t flags)
{
	uint32_t code = SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, calls % BOX_COUNTED);

	calls++;
	reach_count(code, flags);
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
}

/* The interrupted call is the parent's. */
static void act_count_forked(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		is_child = true;
		calls = 0;
		act_count();
	} else if (child < 0 || waitpid(child, &status, 0) != child || status) {
		box_fail("fork: %s, status 0x%x", strerror(errno), (unsigned int)status);
	}
}

static void act_count_jumped(void)
{
	act_count();
	siglongjmp(jumped, 1);
}

static void prepare_count(bool is_new)
{
	if (spoor_thread != &spoor_nobody)
		spoor_counts_detach(spoor_thread);
	box_forget_thread();
	if (!is_new)
		count(0);
	action_done = false;
}

/* @slack: by how many calls the count may be short */
static void count_at_each_step(bool is_new, void (*what)(void), const char *name, uint64_t slack)
{
	static char text[200];
	uint64_t missing;

	prepare_count(is_new);
	missing = calls - counted();
	step_count = 0;
	acts_at_every_step = false;
	turned_counter_stepped = step;
	count(TRAP_FLAG);
	turned_counter_stepped = NULL;
	if (step_count < 9 || calls != counted() + missing)
		box_fail("%d steps, %llu of %llu calls", step_count, (unsigned long long)counted(), (unsigned long long)calls);
	for (int at = 0; at < step_count - 2; at++) {
		uint64_t before;

		snprintf(text, sizeof(text), "count of %s, handler that %s, at step %d of %d, 0x%llx",
			 is_new ? "a new thread" : "a thread", name, at, step_count, (unsigned long long)steps[at]);
		box_case = text;
		prepare_count(is_new);
		before = calls - counted();
		action = what;
		set_breakpoint(at);
		if (sigsetjmp(jumped, 1) == 0)
			count(0);
		breakpoint = NULL;
		count(0);
		/* The call that a fork interrupted goes on in the child, too. */
		if (is_child ? counted() - calls > 1 : calls - counted() - before > slack)
			box_fail("%llu of %llu calls, %llu before", (unsigned long long)counted(), (unsigned long long)calls, (unsigned long long)before);
		if (!action_done)
			box_fail("the breakpoint was not reached");
		if (is_child)
			_exit(0);
	}
}

static void count_forked(void)
{
	spoor_threads_after_fork();
	spoor_counts_forked();
}

START_TEST(a_handler_at_any_step_of_a_count_loses_and_doubles_none)
{
	spoor_configuration.mode = SPOOR_MODE_COUNT;
	spoor_mode_begin();
	begin();
	spoor_counts_cover(spoor_registry_at(0));
	pthread_atfork(NULL, NULL, count_forked);
	count_at_each_step(false, act_count, "counts", 0);
	count_at_each_step(false, act_count_jumped, "jumps out", 1);
	count_at_each_step(false, act_count_forked, "forks", 0);
	/* Beside breakpoints no handler is there then: signals are blocked. */
	count_at_each_step(true, act_count, "counts", 0);
	box_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("single step");
	TCase *cases = tcase_create("single step");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, cases);
	tcase_set_timeout(cases, 300);
	tcase_add_test(cases, events_of_a_handler_at_every_step_are_stored_once_and_dated_right);
	tcase_add_loop_test(cases, a_handler_at_any_step_overwrites_loses_and_misdates_nothing, 0,
			    sizeof(plans) / sizeof(*plans));
	tcase_add_test(cases, a_handler_at_any_step_of_a_threads_first_event_loses_only_what_is_counted);
	tcase_add_test(cases, a_handler_at_any_step_of_a_count_loses_and_doubles_none);
	tcase_add_test(cases, a_handler_that_forks_at_any_step_harms_neither_process);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
