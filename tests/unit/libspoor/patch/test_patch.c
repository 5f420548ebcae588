/* SPDX-License-Identifier: MIT */
/* test_patch.c - a choice of functions is patched into pages of text, and removed from them. */
#define _GNU_SOURCE
#include "patch/patch.h"
#include "patch/text_pages.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/support/hand_module.h"
#include "format/sled.h"
#include "patch/sled_index.h"
#include "tests/unit/support/unit.h"

#define FUNCTIONS 1000u
#define PAGES HAND_PAGES
#define AWAKENINGS 30

static struct hand_module module;
static uint64_t target[(FUNCTIONS + 63) / 64];
static uint8_t before[PAGES * 4096];

/* Makes a module with FUNCTIONS functions. @change: may alter the text before it becomes read-only; or null */
static void begin(void (*change)(void))
{
	hand_module_begin(&module, PAGES);
	hand_module_functions(&module, 64, FUNCTIONS);
	if (change)
		change();
	memcpy(before, module.text, sizeof(before));
	hand_module_finish(&module);
	module.sleds.awake.base = 0x700;
	memset(target, 0, sizeof(target));
	ck_assert_int_eq(spoor_sled_index_build(&module.sleds), 0);
	spoor_patch_begin();
	ck_assert(spoor_patch_is_allowed());
}

static void end(void)
{
	spoor_sled_index_free(&module.sleds);
	hand_module_end(&module);
}

static void choose(uint32_t local)
{
	target[local / 64] |= 1ull << (local % 64);
}

static long apply(void)
{
	long changed = spoor_patch_apply(&module.sleds, target, false);

	ck_assert_str_eq(hand_module_rights(module.text), "r-xp");
	ck_assert_str_eq(hand_module_rights(module.text + sizeof(before) - 1), "r-xp");
	return changed;
}

static void open_text(bool open)
{
	ck_assert_int_eq(mprotect(module.text, sizeof(before), PROT_READ | PROT_EXEC | (open ? PROT_WRITE : 0)), 0);
}

/* Overwrites a byte of the text, as a debugger does. Returns the old byte. */
static uint8_t poke(uint8_t *at, uint8_t byte)
{
	uint8_t old = *at;

	open_text(true);
	*at = byte;
	open_text(false);
	return old;
}

START_TEST(all_of_them_are_patched_and_made_dormant_again)
{
	begin(NULL);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		choose(i);
	ck_assert_uint_eq(hand_module_call(&module, 0), 0);
	ck_assert_int_eq(apply(), FUNCTIONS);
	ck_assert_int_eq(apply(), 0);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const uint8_t *entry = hand_module_at(&module, i);

		ck_assert_uint_eq(hand_module_call(&module, i), 2);
		ck_assert_uint_eq(hand_event_code(entry), SPOOR_EVENT_CODE(SPOOR_EVENT_ENTRY, 0x700 + i));
		ck_assert_uint_eq(hand_event_code(entry + HAND_EXIT), SPOOR_EVENT_CODE(SPOOR_EVENT_EXIT, 0x700 + i));
	}
	ck_assert_int_eq(spoor_patch_apply(&module.sleds, NULL, false), FUNCTIONS);
	ck_assert_int_eq(spoor_patch_apply(&module.sleds, NULL, false), 0);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		ck_assert_uint_eq(hand_module_call(&module, i), 0);
		ck_assert(hand_is_asleep(hand_module_at(&module, i)));
		ck_assert(hand_is_asleep(hand_module_at(&module, i) + HAND_EXIT));
	}
	end();
}
END_TEST

START_TEST(a_few_are_patched_and_nothing_else_is_touched)
{
	begin(NULL);
	choose(3);
	choose(700);
	ck_assert_int_eq(apply(), 2);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		bool chosen = i == 3 || i == 700;

		ck_assert_uint_eq(hand_module_call(&module, i), chosen ? 2 : 0);
		ck_assert_int_eq(memcmp(hand_module_at(&module, i), before + 64 + i * HAND_FUNCTION_BYTES,
					HAND_FUNCTION_BYTES) == 0, !chosen);
	}
	ck_assert_uint_eq(module.sleds.prepared[0], 1 << 3);
	end();
}
END_TEST

START_TEST(one_choice_after_another_changes_the_difference)
{
	begin(NULL);
	choose(1);
	choose(2);
	ck_assert_int_eq(apply(), 2);
	target[0] = 1 << 2 | 1 << 3;
	choose(500);
	ck_assert_int_eq(apply(), 3);
	ck_assert_uint_eq(hand_module_call(&module, 1), 0);
	ck_assert_uint_eq(hand_module_call(&module, 2), 2);
	ck_assert_uint_eq(hand_module_call(&module, 3), 2);
	ck_assert_uint_eq(hand_module_call(&module, 500), 2);
	end();
}
END_TEST

START_TEST(bytes_after_the_head_are_written_once)
{
	static uint8_t patched[PAGES * 4096];

	begin(NULL);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		choose(i);
	apply();
	memcpy(patched, module.text, sizeof(patched));
	spoor_patch_apply(&module.sleds, NULL, false);
	for (uint32_t i = 0; i < sizeof(patched); i++) {
		bool head = i >= 64 && ((i - 64) % HAND_FUNCTION_BYTES) % HAND_EXIT < SPOOR_SLED_HEAD_BYTES;

		if (!head)
			ck_assert_uint_eq(module.text[i], patched[i]);
	}
	apply();
	ck_assert_mem_eq(module.text, patched, sizeof(patched));
	end();
}
END_TEST

static void break_entry_and_exit(void)
{
	module.text[64] = 0xcc;		/* function 0's entry */
	module.text[64 + HAND_FUNCTION_BYTES + HAND_EXIT] = 0xcc;	/* function 1's exit */
}

START_TEST(a_breakpoint_that_was_there_first_stays)
{
	begin(break_entry_and_exit);
	choose(0);
	choose(1);
	choose(2);
	ck_assert_int_eq(apply(), 2);
	/* Without a patched entry, the function's exits are not patched either. */
	ck_assert_mem_eq(hand_module_at(&module, 0), before + 64, HAND_FUNCTION_BYTES);
	ck_assert_mem_eq(hand_module_at(&module, 1) + HAND_EXIT, before + 64 + HAND_FUNCTION_BYTES + HAND_EXIT,
			 SPOOR_SLED_BYTES);
	ck_assert(hand_is_awake(hand_module_at(&module, 1)));
	ck_assert_uint_eq(hand_module_call(&module, 2), 2);
	ck_assert_uint_eq(module.sleds.skipped_sleds.unexpected_bytes, 3);
	end();
}
END_TEST

START_TEST(a_function_with_a_new_breakpoint_is_switched_after_the_breakpoint_is_gone)
{
	uint8_t *exit, old;

	begin(NULL);
	choose(0);
	choose(1);
	ck_assert_int_eq(apply(), 2);
	exit = hand_module_at(&module, 0) + HAND_EXIT;
	old = poke(exit, 0xcc);
	ck_assert_int_eq(spoor_patch_apply(&module.sleds, NULL, false), 1);
	ck_assert_uint_eq(*exit, 0xcc);
	ck_assert(hand_is_awake(hand_module_at(&module, 0)));
	ck_assert_uint_eq(hand_module_call(&module, 1), 0);
	/* The debugger restores the byte that it found. */
	poke(exit, old);
	ck_assert_uint_eq(hand_module_call(&module, 0), 2);
	ck_assert_int_eq(spoor_patch_apply(&module.sleds, NULL, false), 1);
	ck_assert_uint_eq(hand_module_call(&module, 0), 0);
	ck_assert_uint_eq(*module.sleds.awake.patched, 0);
	end();
}
END_TEST

static void add_tails(void)
{
	uint32_t at = 64 + FUNCTIONS * HAND_FUNCTION_BYTES;

	hand_module_function(&module, at);
	for (int i = 0; i < HAND_JUMPS; i++, at += HAND_FUNCTION_BYTES) {
		hand_write_sled(module.text + at, SPOOR_SLED_TAIL);
		hand_write_jump(module.text + at + SPOOR_SLED_BYTES, i);
		hand_module_sled(&module, SPOOR_SLED_TAIL, at, 64 + FUNCTIONS * HAND_FUNCTION_BYTES);
	}
}

START_TEST(tail_sleds_that_cannot_be_patched_are_counted_by_cause)
{
	uint32_t tails = 64 + FUNCTIONS * HAND_FUNCTION_BYTES;

	begin(add_tails);
	choose(FUNCTIONS);
	ck_assert_int_eq(apply(), 1);
	ck_assert(hand_is_awake(module.text + tails));
	ck_assert_mem_eq(module.text + tails + HAND_FUNCTION_BYTES, before + tails + HAND_FUNCTION_BYTES,
			 (HAND_JUMPS - 1) * HAND_FUNCTION_BYTES);
	ck_assert_uint_eq(module.sleds.skipped_sleds.conditional_jump, HAND_JUMPS_CONDITIONAL);
	ck_assert_uint_eq(module.sleds.skipped_sleds.stack_operand, HAND_JUMPS_STACK_OPERAND);
	end();
}
END_TEST

START_TEST(a_thunk_out_of_reach_leaves_the_function_dormant)
{
	begin(NULL);
	module.dso->thunks[SPOOR_THUNK_EXIT] = (const void *)((uintptr_t)module.text + (1ull << 33));
	choose(4);
	ck_assert_int_eq(apply(), 1);
	ck_assert_uint_eq(hand_module_call(&module, 4), 1);
	ck_assert_uint_eq(module.sleds.skipped_sleds.out_of_reach, 1);
	module.dso->thunks[SPOOR_THUNK_ENTRY] = module.dso->thunks[SPOOR_THUNK_EXIT];
	choose(5);
	ck_assert_int_eq(apply(), 0);
	ck_assert_mem_eq(hand_module_at(&module, 5), before + 64 + 5 * HAND_FUNCTION_BYTES, HAND_FUNCTION_BYTES);
	end();
}
END_TEST

START_TEST(text_that_cannot_be_opened_stays_as_it_was)
{
	begin(NULL);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		choose(i);
	munmap(module.text + 4 * 4096, 4096);
	ck_assert_int_eq(apply(), -ENOMEM);
	ck_assert_mem_eq(module.text, before, 4 * 4096);
	ck_assert_mem_eq(module.text + 5 * 4096, before + 5 * 4096, 3 * 4096);
	ck_assert_uint_eq(module.sleds.awake.patched[0], 0);
	end();
}
END_TEST

/* Tries to run a function. /proc/self/maps does not tell: an emulator shows the rights of its host there. */
static bool may_be_run(uint32_t function)
{
	pid_t child = fork();
	int status;

	ck_assert_int_ge(child, 0);
	if (!child) {
		signal(SIGSEGV, SIG_DFL);
		hand_module_call(&module, function);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV));
	return status == 0;
}

static bool may_be_written(uint8_t *at)
{
	int ends[2];
	ssize_t count;

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], at, 1), 1);
	count = read(ends[0], at, 1);
	ck_assert(count == 1 || errno == EFAULT);
	close(ends[0]);
	close(ends[1]);
	return count == 1;
}

/* The text of a module with a header is made writable segment by segment. Pages between the segments keep
 * their rights. */
START_TEST(pages_outside_of_text_segments_keep_their_rights)
{
	uint32_t between = 0;

	begin(NULL);
	hand_module_build_id(&module, "id", 2);
	module.sleds.functions.load_bias = (uintptr_t)module.dso->image;
	while (hand_module_at(&module, between) < module.text + 4 * 4096 + HAND_FUNCTION_BYTES)
		between++;
	ck_assert(may_be_run(between));
	mprotect(module.text + 4 * 4096, 4096, PROT_READ);
	hand_module_hole(&module, 4);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		if (hand_module_at(&module, i) < module.text + 4 * 4096 - HAND_FUNCTION_BYTES ||
		    hand_module_at(&module, i) >= module.text + 5 * 4096)
			choose(i);
	ck_assert_int_gt(apply(), FUNCTIONS / 2);
	ck_assert(!may_be_run(between) && !may_be_written(module.text + 4 * 4096));
	ck_assert(may_be_run(0) && !may_be_written(module.text));
	ck_assert_uint_eq(hand_module_call(&module, 0), 2);
	ck_assert_uint_eq(hand_module_call(&module, FUNCTIONS - 1), 2);
	end();
}
END_TEST

/* Calls every function again and again, so that the patcher always has a running thread to wait for. */
static void *run_through(void *stop)
{
	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED))
		for (uint32_t i = 0; i < FUNCTIONS; i++)
			hand_module_call(&module, i);
	return NULL;
}

/* Each turn uses text that was never patched. A thread that runs a half-written instruction would crash, or miss
 * the thunk. */
START_TEST(functions_are_awakened_for_the_first_time_while_others_run_through)
{
	for (int turn = 0; turn < AWAKENINGS; turn++) {
		bool stop = false;
		pthread_t threads[2];

		begin(NULL);
		for (int i = 0; i < 2; i++)
			ck_assert_int_eq(pthread_create(&threads[i], NULL, run_through, &stop), 0);
		for (uint32_t i = 0; i < FUNCTIONS; i++) {
			choose(i);
			if (i % 100 == 99)
				ck_assert_int_eq(spoor_patch_apply(&module.sleds, target, false), 100);
		}
		__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		for (uint32_t i = 0; i < FUNCTIONS; i++)
			ck_assert_uint_eq(hand_module_call(&module, i), 2);
		ck_assert_uint_eq(module.sleds.skipped_sleds.unexpected_bytes, 0);
		end();
	}
}
END_TEST

/* Adds the sleds of some functions to the map again, as gold does for functions that it folded into one. */
static void name_sleds_again(void)
{
	for (uint32_t at = 64; at < 64 + 4 * HAND_FUNCTION_BYTES; at += HAND_FUNCTION_BYTES) {
		if (at / HAND_FUNCTION_BYTES % 2 == 64 / HAND_FUNCTION_BYTES % 2 || !HAND_HAS_NOP_ENTRIES)
			hand_module_sled(&module, SPOOR_SLED_ENTRY, at, at);
		hand_module_sled(&module, SPOOR_SLED_EXIT, at + HAND_EXIT, at);
	}
}

START_TEST(a_sled_that_is_in_the_map_twice_is_patched)
{
	begin(name_sleds_again);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		choose(i);
	ck_assert_int_eq(apply(), FUNCTIONS);
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_uint_eq(hand_module_call(&module, i), 2);
	ck_assert_uint_eq(module.sleds.skipped_sleds.unexpected_bytes, 0);
	ck_assert_int_eq(spoor_patch_apply(&module.sleds, NULL, false), FUNCTIONS);
	ck_assert_uint_eq(hand_module_call(&module, 0), 0);
	end();
}
END_TEST

/* The state of a forked child whose parent was patching at that moment. */
START_TEST(an_interrupted_awakening_is_completed)
{
	begin(NULL);
	open_text(true);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		if (i % 2 && HAND_HAS_NOP_ENTRIES) {
			spoor_sled_jump_over_rest(hand_module_at(&module, i), SPOOR_SLED_ENTRY);
			spoor_sled_prepare(hand_module_at(&module, i) + HAND_EXIT, SPOOR_SLED_EXIT, module.text, 0x700 + i);
		}
	open_text(false);
	choose(6);
	choose(7);
	ck_assert_int_eq(apply(), 2);
	ck_assert_uint_eq(hand_module_call(&module, 6), 2);
	ck_assert_uint_eq(hand_module_call(&module, 7), 2);
	ck_assert_uint_eq(hand_module_call(&module, 9), 0);
	end();
}
END_TEST

UNIT_MAIN("patch", all_of_them_are_patched_and_made_dormant_again,
	  a_few_are_patched_and_nothing_else_is_touched, one_choice_after_another_changes_the_difference,
	  bytes_after_the_head_are_written_once, a_breakpoint_that_was_there_first_stays,
	  a_function_with_a_new_breakpoint_is_switched_after_the_breakpoint_is_gone,
	  tail_sleds_that_cannot_be_patched_are_counted_by_cause,
	  a_thunk_out_of_reach_leaves_the_function_dormant, text_that_cannot_be_opened_stays_as_it_was,
	  pages_outside_of_text_segments_keep_their_rights,
	  functions_are_awakened_for_the_first_time_while_others_run_through,
	  a_sled_that_is_in_the_map_twice_is_patched, an_interrupted_awakening_is_completed)
