/* SPDX-License-Identifier: MIT */
/*
 * test_single_step_handler.c - a signal handler whose events call a spoor handler runs between any two
 * instructions of the code that calls the handler: the handler receives each event once,
 * or the event is counted as not delivered.
 *
 * A jump out of the handler's own call leaves the thread inside it for good (spoor.h), so later events
 * are counted.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box.h"
#include "format/registration.h"
#include "handler/handler_slots.h"
#include "spoor.h"
#include "stepping.h"

#define EVENTS_MAX 64
#define MODULE 7ull

void reach_through(uint32_t code, uint64_t flags, const void *trampoline);
void reach_tail_through(uint32_t code, uint64_t flags, const void *trampoline);

SPOOR_TRAMPOLINES(any_sse);
SPOOR_TRAMPOLINES(any_avx);
SPOOR_TRAMPOLINES(any_avx512);
/* The trampolines of the stub. */
extern const char spoor_dso_bare_entry[], spoor_dso_bare_exit[], spoor_dso_saving_entry[], spoor_dso_saving_exit[];
extern struct spoor_near spoor_dso_near;

static const struct set {
	const char *name;
	const char *trampolines[3];	/* of entries, exits, tail calls */
	/* GUARDS: ignores events inside the handler. EMPTY: the handler is spoor_no_event. */
	enum { DELIVERS, GUARDS, EMPTY } how;
	bool (*works)(void);
} *set;

static bool always(void)
{
	return true;
}

static bool has_avx(void)
{
	return __builtin_cpu_supports("avx");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512bw");
}

static const struct set sets[] = {
	{ "saving", { spoor_saving_entry, spoor_saving_exit, spoor_saving_tail }, DELIVERS, always },
	{ "no handler", { spoor_saving_entry, spoor_saving_exit, spoor_saving_tail }, EMPTY, always },
	{ "bare", { spoor_bare_entry, spoor_bare_exit, spoor_bare_tail }, DELIVERS, always },
	{ "near saving", { spoor_dso_saving_entry, spoor_dso_saving_exit, spoor_saving_tail }, DELIVERS, always },
	{ "near bare", { spoor_dso_bare_entry, spoor_dso_bare_exit, spoor_bare_tail }, DELIVERS, always },
	{ "any_sse", { spoor_any_sse_entry, spoor_any_sse_exit, spoor_any_sse_tail }, GUARDS, always },
	{ "any_avx", { spoor_any_avx_entry, spoor_any_avx_exit, spoor_any_avx_tail }, GUARDS, has_avx },
	{ "any_avx512", { spoor_any_avx512_entry, spoor_any_avx512_exit, spoor_any_avx512_tail }, GUARDS, has_avx512 },
};

/* The events, and how often the handler received each. Kind 0: has not happened */
static struct happened {
	int kind;
	bool abandoned;
	uint32_t received;
} happened[EVENTS_MAX];
static uint32_t happened_count;
static bool is_child;

/* A handler that uses no vector register, and declares that. The functions that it calls are stepped through. A
 * sanitizer's functions run in the signal handler too, where no breakpoint may be. */
#define BARE __attribute__((target("general-regs-only"), no_sanitize("thread")))

BARE SPOOR_SAVES_REGISTERS static inline __attribute__((always_inline)) void receive(uint64_t function_id, int kind)
{
	uint32_t index = (uint32_t)function_id;

	if (function_id >> 32 == MODULE && index < EVENTS_MAX && happened[index].kind == kind)
		happened[index].received++;
	else
		happened[EVENTS_MAX - 1].received = 99;
}

BARE static void received(uint64_t function_id, int kind)
{
	receive(function_id, kind);
}

BARE SPOOR_SAVES_REGISTERS static void received_saves(uint64_t function_id, int kind)
{
	receive(function_id, kind);
}

static void event(int kind, uint64_t flags)
{
	uint32_t index = happened_count++;
	uint32_t code = SPOOR_EVENT_CODE((uint32_t)kind, index);

	if (index + 1 >= EVENTS_MAX)
		box_fail("too many events");
	happened[index].kind = kind;
	if (kind == SPOOR_HANDLER_TAIL_EXIT)
		reach_tail_through(code, flags, set->trampolines[2]);
	else
		reach_through(code, flags, set->trampolines[kind - 1]);
}

static void act_nested(void)
{
	for (int kind = SPOOR_HANDLER_ENTRY; kind <= SPOOR_HANDLER_TAIL_EXIT; kind++)
		event(kind, 0);
}

static void act_jumped(void)
{
	act_nested();
	happened[0].abandoned = true;
	siglongjmp(stepping_jump, 1);
}

/* Both processes receive the interrupted event, unless it was received before the fork. */
static void act_forked(void)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		is_child = true;
		act_nested();
	} else if (child < 0 || waitpid(child, &status, 0) != child || status) {
		box_fail("fork: %s, status 0x%x", strerror(errno), (unsigned int)status);
	} else {
		act_nested();
	}
}

/* The state of the thread. */
enum place { PLAIN, UPPER_PARTS, WITHIN_HANDLER, PLACES };

static void prepare(void)
{
	memset(happened, 0, sizeof(happened));
	happened_count = 0;
	spoor_handler_unreported = 0;
	spoor_in_handler = 0;
}

/* The kernel keeps the vector registers during the signals. */
static void run(int kind, enum place place, uint64_t flags)
{
	spoor_in_handler = place == WITHIN_HANDLER;
	if (place == UPPER_PARTS)
		__asm__ volatile("vpcmpeqb %%xmm3, %%xmm3, %%xmm3; vinsertf128 $1, %%xmm3, %%ymm3, %%ymm3" : : : "xmm3");
	event(kind, flags);
	if (place == UPPER_PARTS)
		__asm__ volatile("vzeroupper");
	spoor_in_handler = 0;
}

static void verify(bool is_complete)
{
	uint32_t missing = 0, open = 0;

	for (uint32_t i = 0; set->how == EMPTY && i < EVENTS_MAX; i++)
		if (happened[i].received)
			box_fail("event %u was received without a handler", i);
	if (set->how == EMPTY)
		return;
	for (uint32_t i = 0; i < happened_count; i++) {
		if (happened[i].received > 1)
			box_fail("event %u was received %u times", i, happened[i].received);
		missing += !happened[i].received && !happened[i].abandoned;
		open += happened[i].abandoned;
	}
	if (happened[EVENTS_MAX - 1].received)
		box_fail("the handler received an event that has not happened");
	if (spoor_handler_unreported < missing || spoor_handler_unreported > missing + open)
		box_fail("%u of %u events were not received, %llu are counted", missing, happened_count,
			 (unsigned long long)spoor_handler_unreported);
	if (is_complete && missing)
		box_fail("%u of %u events were not received", missing, happened_count);
}

static void run_broken(int kind, enum place place, int at, const char *cell)
{
	stepping_break(at, cell);
	if (sigsetjmp(stepping_jump, 1) == 0)
		run(kind, place, 0);
	stepping_unbreak();
	event(SPOOR_HANDLER_ENTRY, 0);
	verify(set->how != GUARDS);
	if (is_child)
		_exit(0);
}

static void at_each_step(int kind, enum place place, void (*what)(void), const char *cell)
{
	static char text[200];

	prepare();
	stepping_watch(false);
	run(kind, place, STEPPING_TRAP_FLAG);
	stepping_unwatch();
	verify(place != WITHIN_HANDLER || set->how != GUARDS);
	stepping_action = what;
	for (int at = 0; at < stepping_count - STEPPING_AFTER; at++) {
		snprintf(text, sizeof(text), "%s, event of kind %d, place %d, %s at step %d of %d, 0x%llx", set->name, kind,
			 place, cell, at, stepping_count, (unsigned long long)stepping_at[at]);
		box_case = text;
		prepare();
		run_broken(kind, place, at, cell);
	}
}

START_TEST(a_handler_at_any_step_receives_each_event_that_is_not_counted_as_missed)
{
	set = &sets[_i];
	if (!set->works()) {
		fprintf(stderr, "%s: this machine does not have it\n", set->name);
		return;
	}
	stepping_begin();
	box_begin();
	spoor_function_ids[0] = MODULE << 32;
	spoor_any_handler = spoor_bare_handler = received;
	spoor_saving_handler = set->how == EMPTY ? spoor_no_event : (spoor_handler *)received_saves;
	spoor_dso_near.function_ids = spoor_function_ids;
	spoor_dso_near.bare_handler = spoor_bare_handler;
	spoor_dso_near.saving_handler = spoor_saving_handler;
	for (int kind = SPOOR_HANDLER_ENTRY; kind <= SPOOR_HANDLER_TAIL_EXIT; kind++) {
		for (enum place place = PLAIN; place < PLACES; place++) {
			if (place == UPPER_PARTS && !has_avx())
				continue;
			at_each_step(kind, place, act_nested, "logs");
			at_each_step(kind, place, act_jumped, "jumps");
			at_each_step(kind, place, act_forked, "forks");
		}
	}
	stepping_end();
	box_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("single step of handlers");
	TCase *cases = tcase_create("single step of handlers");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, cases);
	tcase_set_timeout(cases, 900);
	tcase_add_loop_test(cases, a_handler_at_any_step_receives_each_event_that_is_not_counted_as_missed, 0,
			    sizeof(sets) / sizeof(*sets));
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
