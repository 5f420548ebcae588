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
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "box.h"
#include "pool.h"
#include "thread.h"
#include "turned_counter.h"

#define TRAP_FLAG 0x100
#define BREAKPOINT 0xcc
#define STEPS_MAX 20000

#define QUARTER (1ull << SPOOR_QUARTER_SHIFT)

static const enum spoor_event_kind kinds[] = { SPOOR_EVENT_ENTRY, SPOOR_EVENT_EXIT, SPOOR_EVENT_TAIL_EXIT };

static void (*action)(void);
static uint64_t action_jump;
static bool action_done;

/* The instructions of the last event that was single-stepped. */
static uint64_t steps[STEPS_MAX];
static int step_count;
static bool acts_at_every_step;

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

static void trapped(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	if (!breakpoint) {
		step((uint64_t)registers[REG_RIP]);
	} else if (*breakpoint != BREAKPOINT) {		/* passed it by one step */
		*breakpoint = BREAKPOINT;
		registers[REG_EFL] &= ~TRAP_FLAG;
	} else {
		*breakpoint = breakpoint_byte;
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
	breakpoint_byte = *breakpoint;
	breakpoint_passes = 0;
	for (int i = 0; i < at; i++)
		breakpoint_passes += steps[i] == steps[at];
	if (mprotect((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		box_fail("no breakpoint can be set: %s", strerror(errno));
	*breakpoint = BREAKPOINT;
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
static void run(const struct place *place, enum spoor_event_kind kind, void (*what)(void), uint64_t jump, int at,
		uint32_t loss, const char *name)
{
	static char text[200];

	snprintf(text, sizeof(text), "event of kind %d %s, handler %s, jump 0x%llx, at step %d of %d, 0x%llx", kind,
		 place->name, name, (unsigned long long)jump, at, step_count, (unsigned long long)steps[at]);
	box_case = text;
	prepare(place);
	action = what;
	action_jump = jump;
	set_breakpoint(at);
	box_log(kind, 0);
	breakpoint = NULL;
	box_log_pair();
	box_verify_loss(loss, SPOOR_LOSS_NO_THREAD, 0);
	if (!action_done)
		box_fail("the breakpoint was not reached");
}

static void begin(void)
{
	struct sigaction trap = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &trap, NULL);
	box_begin();
}

/* Every kind, the handler acting at every step in turn. */
static void at_each_step(const struct place *place, void (*what)(void), uint64_t jump, uint32_t loss,
			 const char *name)
{
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		run_stepped(place, kinds[k], NULL, 0);
		/* The last two are the caller's that clear the trap flag. */
		for (int at = 0; at < step_count - 2; at++)
			run(place, kinds[k], what, jump, at, loss, name);
	}
}

#define AT_EACH_STEP_EVERYWHERE(what, jump)                                         \
	for (size_t place = 0; place < sizeof(places) / sizeof(*places); place++)    \
		at_each_step(&places[place], what, jump, 0, #what)

START_TEST(events_of_a_handler_at_every_step_are_stored_once_and_dated_right)
{
	begin();
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		for (size_t place = 0; place < sizeof(places) / sizeof(*places); place++)
			run_stepped(&places[place], kinds[k], act_pair, 0);
	}
	box_end();
}
END_TEST

START_TEST(events_of_a_handler_at_one_step_are_stored_once_and_dated_right)
{
	begin();
	AT_EACH_STEP_EVERYWHERE(act_pair, 0);
	box_end();
}
END_TEST

START_TEST(a_handler_that_switches_slices_overwrites_nothing)
{
	begin();
	AT_EACH_STEP_EVERYWHERE(act_cross, 0);
	box_end();
}
END_TEST

START_TEST(a_slice_with_an_open_reservation_is_not_used_again)
{
	begin();
	AT_EACH_STEP_EVERYWHERE(act_drained, 0);
	box_end();
}
END_TEST

START_TEST(a_handler_that_comes_a_quarter_later_misdates_nothing)
{
	begin();
	AT_EACH_STEP_EVERYWHERE(act_late_pair, QUARTER);
	box_end();
}
END_TEST

START_TEST(a_handler_that_comes_half_a_turn_later_misdates_nothing)
{
	begin();
	AT_EACH_STEP_EVERYWHERE(act_late_pair, 2 * QUARTER + 7);
	box_end();
}
END_TEST

START_TEST(a_handler_that_comes_many_turns_later_misdates_nothing)
{
	begin();
	AT_EACH_STEP_EVERYWHERE(act_late_pair, 403 * QUARTER);
	box_end();
}
END_TEST

START_TEST(a_handler_that_lasts_half_a_turn_misdates_nothing)
{
	begin();
	AT_EACH_STEP_EVERYWHERE(act_pair_then_late, 2 * QUARTER + 7);
	box_end();
}
END_TEST

START_TEST(a_handler_that_lasts_many_turns_misdates_nothing)
{
	begin();
	AT_EACH_STEP_EVERYWHERE(act_pair_then_late, 403 * QUARTER);
	box_end();
}
END_TEST

START_TEST(a_handler_that_switches_slices_many_turns_later_misdates_nothing)
{
	begin();
	AT_EACH_STEP_EVERYWHERE(act_late_cross, 403 * QUARTER);
	box_end();
}
END_TEST

START_TEST(a_thread_that_lay_still_between_two_instructions_misdates_nothing)
{
	begin();
	AT_EACH_STEP_EVERYWHERE(act_late, 2 * QUARTER + 7);
	AT_EACH_STEP_EVERYWHERE(act_late, 403 * QUARTER);
	box_end();
}
END_TEST

START_TEST(a_handler_at_any_step_of_a_threads_first_event_loses_only_what_is_counted)
{
	begin();
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		run_stepped(&new_thread, kinds[k], act_pair, UINT32_MAX);
	at_each_step(&new_thread, act_pair, 0, 2, "act_pair");
	at_each_step(&new_thread, act_cross, 0, 6, "act_cross");
	box_end();
}
END_TEST

UNIT_MAIN("single step",
	  events_of_a_handler_at_every_step_are_stored_once_and_dated_right,
	  events_of_a_handler_at_one_step_are_stored_once_and_dated_right,
	  a_handler_that_switches_slices_overwrites_nothing,
	  a_slice_with_an_open_reservation_is_not_used_again,
	  a_handler_that_comes_a_quarter_later_misdates_nothing,
	  a_handler_that_comes_half_a_turn_later_misdates_nothing,
	  a_handler_that_comes_many_turns_later_misdates_nothing,
	  a_handler_that_lasts_half_a_turn_misdates_nothing,
	  a_handler_that_lasts_many_turns_misdates_nothing,
	  a_handler_that_switches_slices_many_turns_later_misdates_nothing,
	  a_thread_that_lay_still_between_two_instructions_misdates_nothing,
	  a_handler_at_any_step_of_a_threads_first_event_loses_only_what_is_counted)
