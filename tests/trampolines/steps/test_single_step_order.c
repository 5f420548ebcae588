/* SPDX-License-Identifier: MIT */
/*
 * test_single_step_order.c - a signal handler whose functions are recorded too runs between any
 * two instructions of the code that records a function's first execution. Each function has one
 * entry; a function that was interrupted for good may have no entry.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box.h"
#include "event/event_path.h"
#include "event/hook_path.h"
#include "mode/order_modules.h"
#include "module/hooked_modules.h"
#include "mode/first_uses.h"
#include "module/registry.h"
#include "stepping.h"

#define INDEXES 64u
#define CHILDS 32u		/* the first index for the functions of a forked child */
#define PAGE 4096u
#define PLACE 64u

void reach_function(uint32_t code, uint64_t flags, const void *function);
void spoor_hook_follow(uint32_t code, void *slot);

enum way { BY_SLED, BY_HOOK, BY_FIRST, WAYS };
static const char *const way_names[] = { "a sled", "a hook", "its own byte" };

static uint8_t *page;		/* code: the interrupted function, and the functions of the handler */
static uint32_t *entries;
static uint32_t next;
static bool ended[INDEXES], abandoned, has_forked, is_child;

/* Modules with one function each, at the begin of the page and after it, that have their own bytes. */
static struct one {
	struct spoor_dso dso;
	struct spoor_hooked_code module;
	struct spoor_awake awake;
	uint64_t patched;
	uint32_t function;
	/* The unwind table, and the entry that it leads to: absolute addresses of eight bytes. */
	struct spoor_unwind_table table;
	struct spoor_unwind_entry listed;
	struct __attribute__((packed)) {
		uint32_t length, common;
		uint64_t begin, bytes;
	} frame;
} ones[2];

#define FIRST_BYTES 58u		/* length of a function that build_first writes */

static void put_number(uint8_t **at, const void *number, size_t bytes)
{
	memcpy(*at, number, bytes);
	*at += bytes;
}

static void put(uint8_t **at, const char *code, size_t bytes)
{
	put_number(at, code, bytes);
}

/* Writes a function like pass/sleds/first_runs.c, and its thunk like libspoor_dso/x86_64.S. Returns its byte. */
static uint8_t *build_first(uint8_t *place, uint32_t index)
{
	struct one *one = &ones[place != page];
	const void *first = spoor_first_entry, *dso = &one->dso;
	uint8_t *at = place;

	one->patched = 1;
	one->awake = (struct spoor_awake){ index, &one->patched };
	one->module.awake = &one->awake;
	one->module.functions = &one->function;
	one->module.count = 1;
	one->module.load_bias = (uintptr_t)place;
	one->module.table = &one->table;
	one->listed.frame = (int32_t)((uint8_t *)&one->frame - (uint8_t *)&one->table);
	one->frame.begin = (uintptr_t)place;
	one->frame.bytes = FIRST_BYTES;
	one->module.slots[SPOOR_THUNK_ENTRY] = (void *)(uintptr_t)spoor_order_hooked;
	one->dso.first_runs = &one->module;
	put(&at, "\x80\x3d\x32\0\0\0\0", 7);	/* cmpb $0, byte(%rip) */
	put(&at, "\x74\x02\x8d\x84", 4);		/* je call; lea 1(%rax,%rbp,8), %eax, */
	put(&at, "\xe8\x01\0\0\0", 5);		/* ... or call thunk */
	put(&at, "\xc3", 1);				/* body: ret */
	put(&at, "\x49\xbb", 2);			/* thunk: mov $dso, %r11 */
	put_number(&at, &dso, 8);
	put(&at, "\xff\x25\0\0\0\0", 6);		/* jmp *first(%rip) */
	put_number(&at, &first, 8);
	place[FIRST_BYTES - 1] = 0;
	return place + FIRST_BYTES - 1;
}

/* Writes a function with a sled, or one that calls a hook. Returns the head of its sled, or null. */
static uint8_t *build(uint8_t *place, enum way way, uint32_t index)
{
	uint32_t code = SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, index);
	const void *entry = spoor_order_entry, *hooked = spoor_order_hooked;
	void (*follow)(uint32_t code, void *slot) = spoor_hook_follow;
	uint8_t *at = place, *head = NULL;

	if (way == BY_SLED) {
		put(&at, "\x48\xb8", 2);		/* mov $entry, %rax */
		put_number(&at, &entry, 8);
		head = at;
		put(&at, "\x41\xbb", 2);		/* mov $code, %r11d */
		put_number(&at, &code, 4);
		put(&at, "\x90\x90\x90\xff\xd0\xc3", 6);	/* call *%rax; ret */
	} else {
		put(&at, "\xbf", 1);			/* mov $code, %edi */
		put_number(&at, &code, 4);
		put(&at, "\x48\xbe", 2);		/* mov $hooked, %rsi */
		put_number(&at, &hooked, 8);
		put(&at, "\x48\xb8", 2);		/* mov $spoor_hook_follow, %rax */
		put_number(&at, &follow, 8);
		put(&at, "\xff\xe0", 2);		/* jmp *%rax */
	}
	return head;
}

static void event(enum way way, uint32_t index, uint64_t flags, uint8_t *place)
{
	uint8_t *byte = way == BY_FIRST ? build_first(place, index) : NULL;
	uint8_t *head = byte ? NULL : build(place, way, index);

	reach_function(0, flags, place);
	if (head && (head[0] != 0xeb || head[1] != 0x09))
		box_fail("a sled is still awake");
	if (byte && *byte != 1)
		box_fail("its byte is not set");
	ended[index] = true;
}

/* Runs new functions, and the interrupted one. */
static void act_noted(void)
{
	for (int i = 0; i < WAYS; i++)
		event((enum way)i, next++, 0, page + 2 * PLACE);
	event(BY_SLED, 0, 0, page + 2 * PLACE);
}

static void act_jumped(void)
{
	act_noted();
	abandoned = true;
	siglongjmp(stepping_jump, 1);
}

static void act_forked(void)
{
	int status = 0;
	pid_t child = fork();

	has_forked = true;
	if (child == 0) {
		is_child = true;
		next = CHILDS;
		act_noted();
	} else if (child < 0 || waitpid(child, &status, 0) != child || status) {
		box_fail("fork: %s, status 0x%x", strerror(errno), (unsigned int)status);
	} else {
		act_noted();
	}
}

static uint32_t times(uint32_t index)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < spoor_order->count; i++)
		found += entries[i] == index + 1;
	return found;
}

static void verify(void)
{
	uint32_t empty = times(UINT32_MAX);

	for (uint32_t i = 0; i < INDEXES; i++) {
		uint32_t found = times(i);

		/* The function that was interrupted for good may have set its bit without taking an
		 * entry. After a fork at that point, two processes may each take an entry. */
		if (found > 1u + (i == 0 && has_forked) || (ended[i] && !found && !(i == 0 && abandoned)))
			box_fail("function %u has %u entries", i, found);
	}
	if (empty > abandoned)
		box_fail("%u entries are empty", empty);
}

/* A kill here leaves the entries as they are. */
static void act_killed(void)
{
	act_noted();
	abandoned = true;
	verify();
	abandoned = false;
}

static void prepare(void)
{
	memset(entries, 0, PAGE);
	memset(spoor_order_seen, 0, PAGE);
	memset(ended, 0, sizeof(ended));
	spoor_order->count = 0;
	abandoned = has_forked = false;
	next = 1;
}

static void run(enum way way, int at, const char *cell)
{
	stepping_break(at, cell);
	if (sigsetjmp(stepping_jump, 1) == 0)
		event(way, 0, 0, page);
	stepping_unbreak();
	verify();
	if (is_child)
		_exit(0);
}

static void at_each_step(enum way way, void (*what)(void), const char *cell)
{
	static char text[200];

	prepare();
	box_case = way_names[way];
	stepping_watch(false);
	event(way, 0, STEPPING_TRAP_FLAG, page);
	stepping_unwatch();
	if (times(0) != 1)
		box_fail("%s: it is recorded %u times", way_names[way], times(0));
	if (way == BY_FIRST)
		stepping_verify_callee((uintptr_t)spoor_first_run, "spoor_first_run");
	stepping_action = what;
	for (int at = 0; at < stepping_count - STEPPING_AFTER; at++) {
		/* Skips the instructions of the function itself. */
		if (stepping_at[at] - (uint64_t)page < PAGE)
			continue;
		snprintf(text, sizeof(text), "%s, %s at step %d of %d, 0x%llx", way_names[way], cell, at, stepping_count,
			 (unsigned long long)stepping_at[at]);
		box_case = text;
		prepare();
		run(way, at, cell);
	}
}

static void *map(size_t bytes, int protection, int flags)
{
	void *memory = mmap(NULL, bytes, protection, flags | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	return memory;
}

START_TEST(with_a_handler_at_any_step_each_function_is_recorded_once)
{
	page = map(PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE);
	spoor_order = map(2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
	spoor_order_seen = map(PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
	entries = (uint32_t *)((char *)spoor_order + SPOOR_ORDER_ENTRIES_OFFSET);
	stepping_begin();
	box_begin();
	for (enum way way = BY_SLED; way < WAYS; way++) {
		at_each_step(way, act_noted, "logs");
		at_each_step(way, act_jumped, "jumps");
		at_each_step(way, act_forked, "forks");
		at_each_step(way, act_killed, "killed");
	}
	stepping_end();
	box_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("single step of order");
	TCase *cases = tcase_create("single step of order");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, cases);
	tcase_set_timeout(cases, 900);
	tcase_add_test(cases, with_a_handler_at_any_step_each_function_is_recorded_once);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
