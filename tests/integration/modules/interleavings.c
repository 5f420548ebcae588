/* SPDX-License-Identifier: MIT */
/*
 * interleavings.c - runs enable, disable, patch, register and unregister in all orders in which two threads can
 * interleave (schedule.h).
 *
 * The scheduled code is the runtime's own registry.c, patch.c and interface.c. At every step the test inspects the
 * sleds like a thread that runs through them. At the end the state must be as if one operation had completed before
 * the other.
 *
 * Exits with 0 if all is well. Otherwise prints the error and its order, and exits with 1. An error may also show as
 * a crash.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "event/event_path.h"
#include "tests/unit/support/hand_module.h"
#include "module/registry.h"
#include "schedule.h"
#include "spoor.h"

#define MODULES 2
#define FUNCTIONS 2u

static struct hand_module modules[MODULES];
static bool loaded[MODULES];

/*
 * Entries that are one nop, and when each was first seen as a jump. Modules that are loaded and awake before the
 * first look are not checked.
 */
static struct {
	enum { UNSEEN, NOP, JUMP } state;
	unsigned long barriers;
} entries[MODULES][FUNCTIONS];

/* A thread that found a nop may still be about to run through it until the next barrier. */
static void look_at_nop(int number, uint32_t function, const uint8_t *entry)
{
	uint8_t nop[SPOOR_SLED_BYTES];
	bool is_head, is_rest;

	hand_write_nop_entry(nop);
	is_head = memcmp(entry, nop, SPOOR_SLED_HEAD_BYTES) == 0;
	is_rest = memcmp(entry + SPOOR_SLED_HEAD_BYTES, nop + SPOOR_SLED_HEAD_BYTES,
			 sizeof(nop) - SPOOR_SLED_HEAD_BYTES) == 0;
	if (is_head && is_rest) {
		entries[number][function].state = NOP;
	} else if (is_rest && entries[number][function].state == NOP) {
		entries[number][function].state = JUMP;
		entries[number][function].barriers = schedule_barriers;
	} else if (!is_rest && (is_head || entries[number][function].state == NOP ||
				(entries[number][function].state == JUMP &&
				 entries[number][function].barriers == schedule_barriers))) {
		schedule_wrong("a nop that threads run through is written to");
	}
}

/* Inspects the sleds like a thread that runs through them now. */
static void look(void)
{
	for (int i = 0; i < MODULES; i++) {
		const struct spoor_instance *instance;

		if (!loaded[i])
			continue;
		instance = modules[i].dso->instance;
		for (uint32_t f = 0; f < FUNCTIONS; f++) {
			const uint8_t *entry = hand_module_at(&modules[i], f), *exit = entry + HAND_EXIT;
			uint32_t code;

			if (f % 2)
				look_at_nop(i, f, entry);
			if (entry[0] == 0x41) {
				memcpy(&code, entry + 2, sizeof(code));
				if (entry[1] != 0xbb || entry[6] != 0xe8)
					schedule_wrong("an entry sled leads nowhere");
				if (!instance || code != SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, instance->base + f))
					schedule_wrong("an entry sled is another function's");
				if (!modules[i].dso->slots[SPOOR_THUNK_ENTRY])
					schedule_wrong("a sled leads to a slot that is not set");
			}
			if (exit[0] == 0x41 && (exit[1] != 0xbb || exit[6] != 0xe9))
				schedule_wrong("an exit sled leads nowhere");
		}
	}
}

/* The operations. */

static void load(int number)
{
	static const char *const build_ids[MODULES] = { "one", "two" };
	struct hand_module *module = &modules[number];

	memset(entries[number], 0, sizeof(entries[number]));
	hand_module_begin(module, 2);
	hand_module_functions(module, 64, FUNCTIONS);
	hand_module_build_id(module, build_ids[number], 3);
	hand_module_finish(module);
	loaded[number] = true;
	spoor_dso_register(module->dso);
}

static void unload(int number)
{
	loaded[number] = false;
	modules[number].dso->unregister(modules[number].dso);
	hand_module_end(&modules[number]);
	modules[number] = (struct hand_module){ 0 };
}

static void enable_all(void)
{
	spoor_functions_enable(NULL, NULL);
}

static void disable_all(void)
{
	spoor_functions_disable(NULL, NULL);
}

static void switch_on(void)
{
	spoor_enable();
}

static void switch_off(void)
{
	spoor_disable();
}

static void load_0(void)
{
	load(0);
}

static void load_1(void)
{
	load(1);
}

static void unload_0(void)
{
	unload(0);
}

static void unload_1(void)
{
	unload(1);
}

/* After both operations: exactly the wanted functions are patched, and all are in the same state. */
static void check_end(void)
{
	uint64_t patched = 0;
	int state = -1;

	for (int i = 0; i < MODULES; i++) {
		const struct spoor_instance *instance = loaded[i] ? modules[i].dso->instance : NULL;
		const struct spoor_sleds *sleds;

		if (!instance)
			continue;
		sleds = spoor_sleds_at(instance->position);
		for (uint32_t f = 0; f < FUNCTIONS; f++) {
			bool wanted = sleds && sleds->wanted[0] >> f & 1 && spoor_registry_is_on();
			bool bit = sleds && sleds->awake.patched[0] >> f & 1;
			uint64_t reached = hand_module_call(&modules[i], f);

			if (bit != wanted)
				schedule_wrong("a function is %s and wanted %s", bit ? "awake" : "dormant", wanted ? "awake" : "dormant");
			if (reached != (bit ? 2 : 0))
				schedule_wrong("a function that is %s reaches %d thunks", bit ? "awake" : "dormant", (int)reached);
			if (state >= 0 && bit != state)
				schedule_wrong("some functions are awake and some are not");
			state = bit;
			patched += bit;
		}
	}
	if (patched != spoor_registry_patched())
		schedule_wrong("%d functions are patched, and %d are counted", (int)patched, (int)spoor_registry_patched());
}

static void clean_up(void)
{
	for (int i = 0; i < MODULES; i++)
		if (loaded[i])
			unload(i);
	spoor_enable();
	spoor_functions_enable(NULL, NULL);
}

static void mapped(int result)
{
	for (int i = 0; i < MODULES; i++)
		if (!modules[i].text && result < 0)
			schedule_wrong("the text of a module that is gone is made writable");
}

const struct schedule_test schedule_test = { look, check_end, clean_up, mapped };

static void none_loaded(void)
{
}

static void one_awake(void)
{
	load(0);
}

static void both_awake(void)
{
	load(0);
	load(1);
}

static void both_dormant(void)
{
	both_awake();
	disable_all();
}

static void one_dormant(void)
{
	load(0);
	disable_all();
}

static void one_switched_off(void)
{
	load(0);
	switch_off();
}

int main(void)
{
	static const struct schedule_case cases[] = {
		{ "enable beside disable", both_awake, { disable_all, enable_all } },
		{ "enable beside enable", both_dormant, { enable_all, enable_all } },
		{ "enable beside unregister", both_dormant, { enable_all, unload_1 } },
		{ "disable beside unregister", both_awake, { disable_all, unload_0 } },
		{ "register beside disable", one_awake, { load_1, disable_all } },
		{ "register beside enable", one_dormant, { load_1, enable_all } },
		{ "register beside unregister", one_awake, { load_1, unload_0 } },
		{ "register beside register", none_loaded, { load_0, load_1 } },
		{ "unregister beside unregister", both_awake, { unload_0, unload_1 } },
		{ "switch on beside switch off", one_switched_off, { switch_on, switch_off } },
		{ "switch off beside register", one_awake, { switch_off, load_1 } },
		{ "switch on beside unregister", one_switched_off, { switch_on, unload_0 } },
	};
	cpu_set_t one;
	long schedules = 0;

	alarm(250);
	/* Only one thread runs at a time, and switching is faster on one processor. */
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	/* Runs the initialisation that happens once in a process. */
	both_awake();
	unload(0);
	unload(1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		schedules += schedule_run(&cases[i]);
	printf("%ld schedules\n", schedules);
	return 0;
}
