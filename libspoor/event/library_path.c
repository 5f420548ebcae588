/* SPDX-License-Identifier: MIT */
/*
 * library_path.c - the rare cases of a library call: the first one of a thread, calls that longjmp or an exception
 * left, and functions whose arguments vary.
 */
#include "event/library_path.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/large.h"
#include "base/system.h"
#include "event/event_path.h"
#include "event/library_words.h"
#include "format/registration.h"

#define STACK_BYTES 16384u
#define ROOM ((STACK_BYTES - sizeof(struct spoor_call_stack)) / sizeof(struct spoor_open_library_call))

#define AT(type, field) offsetof(struct type, field)
#define CALL_AT(field) AT(spoor_library_call, field)
_Static_assert(CALL_AT(real) == SPOOR_LIBRARY_CALL_REAL && CALL_AT(slots) == SPOOR_LIBRARY_CALL_SLOTS &&
	       CALL_AT(entry_code) == SPOOR_LIBRARY_CALL_ENTRY && CALL_AT(exit_code) == SPOOR_LIBRARY_CALL_EXIT &&
	       CALL_AT(words) == SPOOR_LIBRARY_CALL_WORDS && CALL_AT(awake) == SPOOR_LIBRARY_CALL_AWAKE &&
	       CALL_AT(kind) == SPOOR_LIBRARY_CALL_KIND, "library_path.h");
_Static_assert(sizeof(struct spoor_library_call) == 1 << SPOOR_LIBRARY_CALL_SHIFT, "library_path.h");
_Static_assert(SPOOR_LIBRARY_SLOT_NO_RESULT == SPOOR_THUNK_TAIL, "library_path.h");
_Static_assert(AT(spoor_call_stack, top) == SPOOR_CALL_STACK_TOP && AT(spoor_call_stack, end) == SPOOR_CALL_STACK_END &&
	       AT(spoor_open_library_call, frame) == SPOOR_OPEN_FRAME &&
	       AT(spoor_open_library_call, call) == SPOOR_OPEN_CALL && sizeof(struct spoor_open_library_call) == SPOOR_OPEN_BYTES, "library_path.h");

/* In trampolines/: jumps to the trampoline @slot, with the event's code where trampolines expect it. */
void spoor_hook_follow(uint32_t code, const void *slot);

struct spoor_library_call spoor_library_calls[SPOOR_LIBRARY_STUBS] SPOOR_LARGE __attribute__((aligned(64)));
const struct spoor_library_helper *spoor_library_helper;

/* The list of a thread without one. The stub reads the element below top, and finds no room. */
static struct {
	struct spoor_call_stack stack;
	struct spoor_open_library_call none;
} no_stack = { .stack = { .top = &no_stack.stack.calls[1], .end = &no_stack.stack.calls[0] } };

__thread struct spoor_call_stack *spoor_call_stack __attribute__((tls_model("initial-exec"))) = &no_stack.stack;
static __thread bool has_ended __attribute__((tls_model("initial-exec")));

/* Makes the thread's list. A signal handler may make it first. */
static void make_stack(void)
{
	long memory = spoor_system(SYS_mmap, 0, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct spoor_call_stack *stack = (struct spoor_call_stack *)memory;

	if (memory < 0 && memory > -4096)
		return;
	stack->top = &stack->calls[1];
	stack->end = &stack->calls[ROOM];
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (spoor_call_stack == &no_stack.stack)
		spoor_call_stack = stack;
	else
		spoor_system(SYS_munmap, memory, STACK_BYTES, 0, 0, 0, 0);
}

void spoor_library_thread_ends(void)
{
	struct spoor_call_stack *stack = spoor_call_stack;

	has_ended = true;
	spoor_call_stack = &no_stack.stack;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (stack != &no_stack.stack)
		spoor_system(SYS_munmap, (long)stack, STACK_BYTES, 0, 0, 0, 0);
}

static void store_exit(const struct spoor_library_call *call)
{
	if (call->awake)
		spoor_hook_follow(call->exit_code, __atomic_load_n(&call->slots[SPOOR_LIBRARY_SLOT_NO_RESULT], __ATOMIC_ACQUIRE));
}

/* Closes the innermost call. */
static void close_one(struct spoor_call_stack *stack)
{
	struct spoor_open_library_call *last = stack->top - 1;
	const struct spoor_library_call *call = last->call;
	/* A signal handler may leave a stub between its two stores by siglongjmp. */
	bool is_filled = last->frame;

	last->frame = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	stack->top = last;
	if (is_filled)
		store_exit(call);
}

/* Returns whether the innermost call was left. Stacks grow down: a call whose frame is not above @frame was left, if both
 * are on one stack. A call whose frame is not stored was left if the call around it was. */
static bool innermost_is_left(const struct spoor_call_stack *stack, uintptr_t frame)
{
	const struct spoor_open_library_call *open = stack->top - 1;

	while (open > &stack->calls[0] && !open->frame)
		open--;
	return open > &stack->calls[0] && open->frame <= frame;
}

static void close_left(struct spoor_call_stack *stack, uintptr_t frame)
{
	while (innermost_is_left(stack, frame))
		close_one(stack);
	/* A call above this frame may have been left too: a stub of a function further up finds it. */
	stack->left = stack->top > &stack->calls[1];
	stack->end = stack->left ? &stack->calls[0] : &stack->calls[ROOM];
}

/* Makes the next stub look for calls that were left. */
static void note_left(void)
{
	struct spoor_call_stack *stack = spoor_call_stack;

	if (stack == &no_stack.stack)
		return;
	stack->left = true;
	stack->end = &stack->calls[0];
}

void spoor_library_enter(const struct spoor_library_call *call, uintptr_t frame)
{
	struct spoor_call_stack *stack;
	struct spoor_open_library_call *open;

	if (spoor_call_stack == &no_stack.stack && !has_ended)
		make_stack();
	stack = spoor_call_stack;
	if (stack == &no_stack.stack)
		return;
	if (stack->left)
		close_left(stack, frame);
	if (stack->top >= &stack->calls[ROOM]) {
		stack->unstored++;
		return;
	}
	open = __atomic_fetch_add(&stack->top, sizeof(*open), __ATOMIC_RELAXED);
	open->call = call;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	open->frame = frame;
}

int spoor_library_leave(uintptr_t frame)
{
	struct spoor_call_stack *stack = spoor_call_stack;
	struct spoor_open_library_call *open = stack->top - 1;

	if (stack == &no_stack.stack)
		return 1;
	while (open > &stack->calls[0] && open->frame != frame)
		open--;
	if (open == &stack->calls[0]) {
		/* It had no room, or a longjmp to a frame on another stack has closed it. */
		if (!stack->unstored)
			return 0;
		stack->unstored--;
		return 1;
	}
	stack->unstored = 0;
	while (stack->top - 1 > open)
		close_one(stack);
	open->frame = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	stack->top = open;
	return 1;
}

#define CLEANUP_PHASE 2		/* _UA_CLEANUP_PHASE: frames are left, from the innermost one */
#define CONTINUE_UNWIND 8	/* _URC_CONTINUE_UNWIND */

int spoor_library_personality(int version, int actions, uint64_t class, void *exception, void *context)
{
	struct spoor_call_stack *stack = spoor_call_stack;

	(void)version;
	(void)class;
	(void)exception;
	(void)context;
	if (!(actions & CLEANUP_PHASE) || stack == &no_stack.stack)
		return CONTINUE_UNWIND;
	if (stack->top > &stack->calls[1] && stack->top[-1].frame)
		close_one(stack);
	note_left();
	return CONTINUE_UNWIND;
}

#ifdef __x86_64__
/* As general_keep pushes them. */
struct spoor_library_registers {
	uint64_t r10, r9, r8, rdi, rsi, rdx, rcx, rax;
};

static uint64_t argument_at(const struct spoor_library_registers *registers, const uint64_t *memory, uint32_t position)
{
	const uint64_t values[SPOOR_INTEGER_REGISTERS] = { registers->rdi, registers->rsi, registers->rdx,
							   registers->rcx, registers->r8, registers->r9 };

	return position < SPOOR_INTEGER_REGISTERS ? values[position] : memory[position - SPOOR_INTEGER_REGISTERS];
}
#else
struct spoor_library_registers {
	uint64_t x[8];
};

static uint64_t argument_at(const struct spoor_library_registers *registers, const uint64_t *memory, uint32_t position)
{
	return position < SPOOR_INTEGER_REGISTERS ? registers->x[position] : memory[position - SPOOR_INTEGER_REGISTERS];
}
#endif

long spoor_library_prepare(const struct spoor_library_call *call, const struct spoor_library_registers *registers,
			   const uint64_t *memory)
{
	uint64_t value = argument_at(registers, memory, call->argument);
	const char *text = (const char *)(uintptr_t)value;

	switch ((enum spoor_library_kind)call->kind) {
	case SPOOR_LIBRARY_PRINTF:
		return text ? spoor_library_printf_words(text, call->argument + 1u) : 0;
	case SPOOR_LIBRARY_SCANF:
		return text ? spoor_library_scanf_words(text, call->argument + 1u) : 0;
	case SPOOR_LIBRARY_UNTIMED:
		return -1;
	case SPOOR_LIBRARY_LEAVES:
		note_left();
		return -1;
	case SPOOR_LIBRARY_BY_CALLER:
		spoor_library_helper->follow(true);
		return -1;
	case SPOOR_LIBRARY_DLOPEN:
		return text && spoor_library_helper->depends_on_caller(text) ? -1 : 0;
	case SPOOR_LIBRARY_DLCLOSE:
	case SPOOR_LIBRARY_FORK:
	case SPOOR_LIBRARY_WORDS:
		break;
	}
	return 0;
}

int spoor_library_after(const struct spoor_library_call *call, uintptr_t result, uintptr_t frame)
{
	if (call->kind == SPOOR_LIBRARY_FORK)
		return !(int)result && spoor_library_leave(frame) >= 0;
	/* dlclose returns 0, dlopen a handle. After a failure, the program may ask dlerror() for the reason. */
	if (call->kind == SPOOR_LIBRARY_DLCLOSE ? !(int)result : result != 0)
		spoor_library_helper->follow(false);
	return 0;
}
