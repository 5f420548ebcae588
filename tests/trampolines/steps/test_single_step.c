/* SPDX-License-Identifier: MIT */
/*
 * test_single_step.c - a signal handler that logs runs between any two instructions of a
 * trampoline and of all code that it calls.
 *
 * Each case is one event. The test sets the time stamp counter. With SINGLE_STEP_VALUES the events have values, and with
 * SINGLE_STEP_LIBRARY they are calls of library functions.
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
#include "box_library.h"
#include "event/capture_path.h"
#include "event/pool.h"
#include "stepping.h"
#include "event/thread.h"
#include "turned_counter.h"

#define QUARTER (1ull << SPOOR_QUARTER_SHIFT)

#ifdef SINGLE_STEP_VALUES
static const uint32_t kinds[] = { BOX_MIXED + SPOOR_EVENT_ENTRY, BOX_MIXED + SPOOR_EVENT_EXIT, BOX_MIXED + SPOOR_EVENT_FRAME,
				  BOX_CAPTURED + SPOOR_EVENT_ENTRY, BOX_CAPTURED + SPOOR_EVENT_EXIT,
				  BOX_CAPTURED + SPOOR_EVENT_FRAME, BOX_INT + SPOOR_EVENT_ENTRY,
				  BOX_INT + SPOOR_EVENT_EXIT, BOX_INT + SPOOR_EVENT_FRAME, BOX_LONG + SPOOR_EVENT_ENTRY,
				  BOX_LONG + SPOOR_EVENT_EXIT, BOX_LONG + SPOOR_EVENT_FRAME,
				  BOX_STUB + BOX_MIXED + SPOOR_EVENT_ENTRY, BOX_STUB + BOX_CAPTURED + SPOOR_EVENT_ENTRY,
				  BOX_STUB + BOX_INT + SPOOR_EVENT_ENTRY, BOX_STUB + BOX_LONG + SPOOR_EVENT_ENTRY,
				  BOX_HALVES + SPOOR_EVENT_ENTRY, BOX_HALVES + SPOOR_EVENT_FRAME,
				  BOX_STUB + BOX_HALVES + SPOOR_EVENT_ENTRY, BOX_SECOND + SPOOR_EVENT_ENTRY,
				  BOX_SECOND + SPOOR_EVENT_FRAME, BOX_STUB + BOX_SECOND + SPOOR_EVENT_ENTRY };
#elif defined(SINGLE_STEP_LIBRARY)
static const uint32_t kinds[] = { BOX_LIBRARY + BOX_LIBRARY_PLAIN, BOX_LIBRARY + BOX_LIBRARY_EVEN,
				  BOX_LIBRARY + BOX_LIBRARY_ODD, BOX_LIBRARY + BOX_LIBRARY_PRINTF,
				  BOX_LIBRARY + BOX_LIBRARY_UNTIMED, BOX_LIBRARY + BOX_LIBRARY_FOLLOWED,
				  BOX_LIBRARY + BOX_LIBRARY_FORKED, BOX_LIBRARY + BOX_LIBRARY_DORMANT,
				  BOX_LIBRARY + BOX_LIBRARY_LEAVES, BOX_LIBRARY + BOX_LIBRARY_AFTER_LEFT,
				  BOX_LIBRARY + BOX_LIBRARY_LEFT_WITHIN,
				  BOX_LIBRARY + BOX_CAPTURED + BOX_LIBRARY_ODD, BOX_LIBRARY + BOX_CAPTURED + BOX_LIBRARY_UNTIMED,
				  BOX_LIBRARY + BOX_CAPTURED + BOX_LIBRARY_LEFT_WITHIN };
#else
static const uint32_t kinds[] = { SPOOR_EVENT_ENTRY, SPOOR_EVENT_EXIT, SPOOR_EVENT_TAIL_EXIT, SPOOR_EVENT_FRAME,
				  SPOOR_EVENT_UNWIND, SPOOR_EVENT_SWITCH, BOX_SWITCH_GOES_ON, BOX_TRACEPOINT };
#endif

#ifdef SINGLE_STEP_LIBRARY
static const bool has_library = true;
#else
static const bool has_library;
#endif

static uint64_t action_jump;
static bool is_child;
static pid_t ended_child;

/* Logs four events with library calls, else two. */
static void log_pair(void)
{
	box_log_pair();
	if (has_library)
		box_log(BOX_LIBRARY + BOX_LIBRARY_ODD, 0);
}

/* The number of lost events, of pairs of events that log_pair logs. */
static uint32_t lost_events(uint32_t events)
{
	return has_library && events != UINT32_MAX ? 2 * events : events;
}

/* The possible actions of a handler. */

static void act_pair(void)
{
	log_pair();
}

/* Logs events that end one slice and begin the next. */
static void act_cross(void)
{
	box_leave_room(1);
	for (int i = 0; i < 3; i++)
		log_pair();
}

static void act_late_pair(void)
{
	turned_counter += action_jump;
	log_pair();
}

static void act_pair_then_late(void)
{
	log_pair();
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

/* Another thread of the process empties the pool while the handler runs. */
static void act_drained(void)
{
	for (int i = 0; i < 3; i++) {
		act_cross();
		box_drain_run();
	}
}

/* Uses up its slice and finds no other one. */
static void act_exhausted(void)
{
	uint64_t free[SPOOR_POOL_BITMAP_WORDS];

	act_cross();
	memcpy(free, spoor_pool->free, sizeof(free));
	memset(spoor_pool->free, 0, sizeof(free));
	act_cross();
	memcpy(spoor_pool->free, free, sizeof(free));
	spoor_pool->freed++;
}

static void act_exhausted_then_pair(void)
{
	act_exhausted();
	log_pair();
}

/* A kill here would leave the pool in its present state. */
static void act_killed(void)
{
	box_verify_left();
}

/* The same after the handler has logged. */
static void act_cross_killed(void)
{
	act_cross();
	box_verify_left();
}

/* The handler never returns. */
static void act_jumped(void)
{
	log_pair();
	/* As siglongjmp itself is called through a stub. */
	if (has_library)
		box_log(BOX_LIBRARY + BOX_LIBRARY_LEAVES, 0);
	siglongjmp(stepping_jump, 1);
}

/* Forks; both processes continue with the interrupted event. */
static void fork_and_wait(bool child_logs)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		box_forked();
		is_child = true;
		if (child_logs)
			log_pair();
		return;
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		box_fail("fork: %s", strerror(errno));
	if (status)
		box_fail("the child's status is 0x%x", (unsigned int)status);
	ended_child = child;
	log_pair();
}

static void act_forked(void)
{
	fork_and_wait(false);
}

static void act_forked_child_logs(void)
{
	fork_and_wait(true);
}

/* The state of the thread when the stepped event begins. */
struct place {
	const char *name;
	int room;		/* words left in its slice; -1: the thread has never logged */
	uint64_t age;		/* time since its last event */
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

#define PLACES ((int)(sizeof(places) / sizeof(*places)))
#define AT_END 3		/* of a slice */
#define FORKS 32		/* number of both plans that fork */

/* Whatever library calls need in the other places, the programs without library calls test. */
static bool is_place_chosen(int place)
{
	return !has_library || place == 0 || place == AT_END || getenv("SPOOR_LONG");
}

static const struct place new_thread = { "in a new thread", -1, 0 };

static void prepare(const struct place *place)
{
	box_reset();
	if (has_library) {
		box_library_reset();
		box_reset();
	}
	turned_counter = 0x123456789abull;
	if (turned_counter_begin() < 0)
		box_fail("rdtsc cannot be made to fault");
	if (place->room >= 0) {
		box_log_pair();
		box_leave_room((uint32_t)place->room);
	}
	turned_counter += place->age;
}

/* The action of the handler, and the events that may be missing afterwards. */
struct plan {
	const char *name;
	const char *cell;		/* name in the table of steps.sh */
	void (*action)(void);
	uint64_t jump;			/* how much the counter advances */
	uint32_t loss;
	enum spoor_loss_cause cause;
	uint32_t holes;
};

/* Library calls below this frame are left by a handler that jumps to its caller. */
static __attribute__((noinline)) void log_below(uint32_t kind, uint64_t flags)
{
	char frame[512];

	__asm__ volatile("" : : "r"(frame) : "memory");
	box_log(kind, flags);
	__asm__ volatile("" : : "r"(frame) : "memory");
}

/* Checks the stack of the C function that this event calls. */
static void verify_callee(const struct place *place, uint32_t kind)
{
	if (kind == BOX_CAPTURED + SPOOR_EVENT_ENTRY)
		stepping_verify_callee((uintptr_t)spoor_capture_store, "spoor_capture_store");
	else if (place == &places[AT_END] && kind == SPOOR_EVENT_ENTRY)
		stepping_verify_callee((uintptr_t)spoor_event_slow, "spoor_event_slow");
}

/* Single-steps one event, and acts at every step or at none. */
static void run_stepped(const struct place *place, uint32_t kind, void (*what)(void), uint32_t loss)
{
	static char text[200];

	snprintf(text, sizeof(text), "event of kind %u %s, single-stepped", kind, place->name);
	box_case = text;
	prepare(place);
	stepping_action = what;
	stepping_watch(what);
	box_log(kind, STEPPING_TRAP_FLAG);
	stepping_unwatch();
	if (!what)
		verify_callee(place, kind);
	box_log_pair();
	box_verify_loss(loss, SPOOR_LOSS_NO_THREAD, 0);
	if (has_library)
		box_library_verify_closed();
	if (stepping_count < 20)
		box_fail("only %d steps", stepping_count);
}

/* Logs one event; the handler acts at one of the steps. */
static void run(const struct place *place, uint32_t kind, const struct plan *plan, int at)
{
	static char text[200];

	snprintf(text, sizeof(text), "event of kind %u %s, handler %s, jump 0x%llx, at step %d of %d, 0x%llx", kind,
		 place->name, plan->name, (unsigned long long)plan->jump, at, stepping_count,
		 (unsigned long long)stepping_at[at]);
	box_case = text;
	prepare(place);
	stepping_action = plan->action;
	action_jump = plan->jump;
	stepping_break(at, plan->cell);
	if (sigsetjmp(stepping_jump, 1) == 0)
		log_below(kind, 0);
	else
		box_abandon_open();
	stepping_unbreak();
	/* The next library call closes the calls that were left. */
	if (has_library) {
		box_log(BOX_LIBRARY + BOX_LIBRARY_PLAIN, 0);
		box_library_verify_closed();
	}
	box_log_pair();
	if (plan->action == act_jumped)
		act_drained();
	box_verify_loss(lost_events(plan->loss), plan->cause, plan->holes);
	if (is_child)
		_exit(0);
	if (ended_child)
		box_remove_child(ended_child);
	ended_child = 0;
}

static void begin(void)
{
	stepping_begin();
	box_begin();
}

static void end(void)
{
	stepping_end();
	box_end();
}

/* Tells if the handler acts at this step. The long form acts at each step of each kind in each place. The short form takes
 * each plan once at each instruction, and at some of the other steps, most of them at a slice's end. Forks are slow: of the
 * two plans that fork it takes one at each instruction. */
static bool is_chosen(const struct place *place, const struct plan *plan, uint32_t number, int at)
{
	static uint32_t steps[32];
	const bool forks = strcmp(plan->cell, "forks") == 0;
	const uint32_t every = forks ? 199 : place == &places[AT_END] ? 29 : 97;

	if (getenv("SPOOR_LONG"))
		return true;
	if (plan->action == act_forked && at % 2)
		return false;
	return !stepping_again(at, forks ? FORKS : number) || steps[number]++ % every == 0;
}

/* Runs every kind of event; the handler acts at every step in turn. */
static void at_each_step(const struct place *place, const struct plan *plans, size_t count)
{
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		run_stepped(place, kinds[k], NULL, 0);
		for (int at = 0; at < stepping_count - STEPPING_AFTER; at++) {
			/* From this step on the event is an exit. */
			if (!has_library && kinds[k] >= SPOOR_EVENT_SWITCH && stepping_at[at] == (uint64_t)spoor_log_exit)
				break;
			for (size_t i = 0; i < count; i++) {
				if (is_chosen(place, &plans[i], (uint32_t)i, at))
					run(place, kinds[k], &plans[i], at);
			}
		}
	}
}

START_TEST(events_of_a_handler_at_every_step_are_stored_once_with_right_times)
{
#ifdef __SANITIZE_THREAD__
	return;		/* the thread sanitizer blocks all signals in functions that attaching calls */
#endif
	begin();
	for (int i = 0; i < PLACES; i++) {
		for (size_t k = 0; is_place_chosen(i) && k < sizeof(kinds) / sizeof(*kinds); k++)
			run_stepped(&places[i], kinds[k], act_pair, 0);
	}
	end();
}
END_TEST

static const struct plan plans[] = {
	{ "that logs a pair", "logs", act_pair, .jump = 0 },
	{ "that switches slices", "switches", act_cross, .jump = 0 },
	{ "beside a drainer", "drained", act_drained, .jump = 0 },
	{ "that comes a quarter later", "rolls", act_late_pair, .jump = QUARTER },
	{ "that comes half a turn later", "rolls", act_late_pair, .jump = 2 * QUARTER + 7 },
	{ "that comes many turns later", "rolls", act_late_pair, .jump = 403 * QUARTER },
	{ "that lasts half a turn", "rolls", act_pair_then_late, .jump = 2 * QUARTER + 7 },
	{ "that lasts many turns", "rolls", act_pair_then_late, .jump = 403 * QUARTER },
	{ "that switches slices many turns later", "rolls", act_late_cross, .jump = 403 * QUARTER },
	{ "that logs nothing and lasts half a turn", "rolls", act_late, .jump = 2 * QUARTER + 7 },
	{ "that logs nothing and lasts many turns", "rolls", act_late, .jump = 403 * QUARTER },
	{ "that exhausts the pool", "exhausts", act_exhausted, 0, 8, SPOOR_LOSS_POOL_EXHAUSTED, 0 },
	{ "that exhausts the pool and logs on", "exhausts", act_exhausted_then_pair, 0, 8, SPOOR_LOSS_POOL_EXHAUSTED, 0 },
	{ "that looks at what kill -9 leaves", "killed", act_killed, .jump = 0 },
	{ "that switches slices and looks", "killed", act_cross_killed, .jump = 0 },
	/* The largest record has eleven words. */
	{ "that jumps out", "jumps", act_jumped, 0, 0, SPOOR_LOSS_POOL_EXHAUSTED, 11 },
	{ "that forks", "forks", act_forked, .jump = 0 },
	{ "that forks a child that logs", "forks", act_forked_child_logs, .jump = 0 },
};

/* The number of places in one test. libcheck cannot store that a test took more than 35 minutes. */
static int places_each(void)
{
	return getenv("SPOOR_LONG") ? 1 : PLACES;
}

START_TEST(a_handler_at_any_step_neither_overwrites_nor_misdates_an_event_and_may_fork)
{
	begin();
	for (int i = _i; i < _i + places_each(); i++) {
		if (is_place_chosen(i))
			at_each_step(&places[i], plans, sizeof(plans) / sizeof(*plans));
	}
	end();
}
END_TEST

START_TEST(a_handler_at_any_step_of_a_threads_first_event_loses_only_counted_events)
{
	static const struct plan first[] = {
		{ "that logs a pair", "logs", act_pair, 0, 2, SPOOR_LOSS_NO_THREAD, 0 },
		{ "that switches slices", "switches", act_cross, 0, 6, SPOOR_LOSS_NO_THREAD, 0 },
	};

#ifdef __SANITIZE_THREAD__
	return;		/* the thread sanitizer blocks all signals in functions that attaching calls */
#endif
	begin();
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		run_stepped(&new_thread, kinds[k], act_pair, UINT32_MAX);
	at_each_step(&new_thread, first, sizeof(first) / sizeof(*first));
	end();
}
END_TEST

START_TEST(a_handler_that_forks_by_libc_at_any_step_harms_neither_process)
{
	static const struct plan loud = { "that forks by libc", "forks", act_forked_child_logs, .jump = 0 };

	begin();
	pthread_atfork(NULL, NULL, spoor_threads_after_fork);
	at_each_step(&places[0], &loud, 1);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("single step");
	TCase *cases = tcase_create("single step");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, cases);
	tcase_set_timeout(cases, 7200);
	tcase_add_test(cases, events_of_a_handler_at_every_step_are_stored_once_with_right_times);
	tcase_add_loop_test(cases, a_handler_at_any_step_neither_overwrites_nor_misdates_an_event_and_may_fork, 0,
			    PLACES / places_each());
	tcase_add_test(cases, a_handler_at_any_step_of_a_threads_first_event_loses_only_counted_events);
	tcase_add_test(cases, a_handler_that_forks_by_libc_at_any_step_harms_neither_process);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
