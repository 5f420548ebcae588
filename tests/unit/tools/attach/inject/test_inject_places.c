/* SPDX-License-Identifier: MIT */
/* test_inject_places.c - threads inside functions of an allocator run no call, because they may hold its locks. */
#include <errno.h>
#include <stddef.h>

#include "attach/inject/inject.h"
#include "tests/unit/tools/attach/inject/called.h"
#include "tests/unit/support/unit.h"

/* C++'s operators new and delete: an allocator that takes its locks there, as tcmalloc does, calls no malloc.
 * The linker exports these functions. */
__attribute__((visibility("default"))) void *operator_new(size_t size) __asm__("_Znwm");
__attribute__((visibility("default"))) void operator_delete(void *memory) __asm__("_ZdlPv");
void *allocate_elsewhere(size_t size);

static char memory[16];

__attribute__((noinline)) void *operator_new(size_t size)
{
	return called_in_read() == 0 ? memory + size % sizeof(memory) : NULL;
}

__attribute__((noinline)) void operator_delete(void *unused)
{
	(void)unused;
	memory[0] = (char)called_in_read();
}

__attribute__((noinline)) void *allocate_elsewhere(size_t size)
{
	return called_in_read() == 0 ? memory + size % sizeof(memory) : NULL;
}

static int in_new(void)
{
	return operator_new(8) == memory + 8 ? 0 : 1;
}

static int in_delete(void)
{
	operator_delete(memory);
	return memory[0];
}

static int in_another_function(void)
{
	return allocate_elsewhere(8) == memory + 8 ? 0 : 1;
}

/* Starts a process that waits inside a function. Returns the result of choosing a thread for calls. */
static int begin_in(int (*body)(void))
{
	pid_t pid = called_start(body);
	struct inject *inject = NULL;
	struct target target;
	int error;

	called_wait_for_state(pid, 'S');
	ck_assert_int_eq(target_open(&target, pid), 0);
	error = inject_begin(&inject, &target, INJECT_PLAIN, 0);
	inject_end(inject);
	target_close(&target);
	called_write_pipe();
	ck_assert_int_eq(called_end(pid), 0);
	return error;
}

START_TEST(a_thread_inside_operator_new_or_delete_is_not_used)
{
	ck_assert_int_eq(begin_in(in_another_function), 0);
#ifdef __SANITIZE_THREAD__
	return;		/* the sanitizer's own thread runs the call */
#endif
	ck_assert_int_eq(begin_in(in_new), -EAGAIN);
	ck_assert_int_eq(begin_in(in_delete), -EAGAIN);
}
END_TEST

START_TEST(addresses_are_found_together_or_one_by_one)
{
	static const char *const names[] = { "_Znwm", "there_is_no_such_function", "_ZdlPv" };
	pid_t pid = called_start(called_in_read);
	uint64_t addresses[3] = { 1, 1, 1 };
	struct target target;

	ck_assert_int_eq(target_open(&target, pid), 0);
	target_symbols(&target, target_image_at(&target, (uint64_t)(uintptr_t)operator_new), names, 3, addresses);
	ck_assert_uint_eq(addresses[0], (uint64_t)(uintptr_t)operator_new);
	ck_assert_uint_eq(addresses[1], 0);
	ck_assert_uint_eq(addresses[2], (uint64_t)(uintptr_t)operator_delete);
	ck_assert_uint_eq(target_symbol(&target, NULL, "_Znwm"), addresses[0]);
	target_close(&target);
	called_write_pipe();
	ck_assert_int_eq(called_end(pid), 0);
}
END_TEST

UNIT_MAIN_SETUP("inject places", called_setup, a_thread_inside_operator_new_or_delete_is_not_used,
	  addresses_are_found_together_or_one_by_one)
