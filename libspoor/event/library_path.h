/* SPDX-License-Identifier: MIT */
/*
 * library_path.h - what the stubs of library calls (trampolines/library_*.S) share with C. Assembly includes it too.
 *
 * A jump slot of a chosen library function leads to a stub. The stub stores an entry, copies the stack arguments that
 * the function takes, calls the function, and stores an exit. No return address is changed.
 *
 * Each thread keeps a list of its open library calls, because longjmp and exceptions leave calls without passing the
 * stub: each element has the address of the stub's frame. Calls whose frame is gone are then closed by an exit.
 */
#ifndef SPOOR_LIBRARY_PATH_H
#define SPOOR_LIBRARY_PATH_H

#define SPOOR_LIBRARY_STUBS 4096
#define SPOOR_LIBRARY_STUB_BYTES 16

/* Offsets into struct spoor_library_call. */
#define SPOOR_LIBRARY_CALL_SHIFT 6
#define SPOOR_LIBRARY_CALL_REAL 0
#define SPOOR_LIBRARY_CALL_SLOTS 8
#define SPOOR_LIBRARY_CALL_ENTRY 16
#define SPOOR_LIBRARY_CALL_EXIT 20
#define SPOOR_LIBRARY_CALL_WORDS 24
#define SPOOR_LIBRARY_CALL_AWAKE 28
#define SPOOR_LIBRARY_CALL_KIND 29

/* Offsets into struct spoor_call_stack and struct spoor_open_library_call. */
#define SPOOR_CALL_STACK_TOP 0
#define SPOOR_CALL_STACK_END 8
#define SPOOR_OPEN_FRAME 0
#define SPOOR_OPEN_CALL 8
#define SPOOR_OPEN_BYTES 16

/* From a stub's frame to the first stack argument. */
#ifdef __x86_64__
#define SPOOR_LIBRARY_FRAME_STACK 24
#else
#define SPOOR_LIBRARY_FRAME_STACK 48
#endif

/* The slot for an exit whose result is unknown: the call was left, or the stub jumps to the function. It is SPOOR_THUNK_TAIL:
 * stubs have no tail calls. */
#define SPOOR_LIBRARY_SLOT_NO_RESULT 2

/* enum spoor_library_kind, for assembly: kinds from here on call spoor_library_after. */
#define SPOOR_LIBRARY_FOLLOWED 6

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the stub treats a function. */
enum spoor_library_kind {
	SPOOR_LIBRARY_WORDS,		/* it takes a known number of stack words */
	SPOOR_LIBRARY_PRINTF,		/* its format says how many, */
	SPOOR_LIBRARY_SCANF,		/* ... and here each is a pointer */
	SPOOR_LIBRARY_UNTIMED,		/* execve: it does not return, and a child of vfork shares its parent's memory */
	SPOOR_LIBRARY_LEAVES,		/* longjmp: it never returns */
	SPOOR_LIBRARY_BY_CALLER,	/* dlsym: its result depends on the caller */
	SPOOR_LIBRARY_DLOPEN = SPOOR_LIBRARY_FOLLOWED,	/* modules are followed after the call */
	SPOOR_LIBRARY_DLCLOSE,
	SPOOR_LIBRARY_FORK,		/* the child has not entered the call */
};

struct spoor_library_call {
	const void *real;		/* the function */
	void **slots;			/* of its library: struct spoor_dso */
	uint32_t entry_code, exit_code;	/* of its events */
	uint32_t words;			/* of SPOOR_LIBRARY_WORDS */
	uint8_t awake;			/* whether its calls are recorded */
	uint8_t kind;			/* enum spoor_library_kind */
	uint8_t argument;		/* position of the format */
	uint8_t unused;
	/* Not used by stubs. */
	uint32_t next;			/* number of the next stub of the same library; 0: none */
	uint32_t local;			/* local function ID */
	uint64_t padding[3];
};

/* By number of the stub. 0 is unused. */
extern struct spoor_library_call spoor_library_calls[SPOOR_LIBRARY_STUBS];

/* Assembly: stub N is at N * SPOOR_LIBRARY_STUB_BYTES. */
extern const char spoor_library_stubs[];

struct spoor_open_library_call {
	uintptr_t frame;		/* 0: unused, or being filled in */
	const struct spoor_library_call *call;
};

/* The open library calls of a thread; calls[0] is never used. */
struct spoor_call_stack {
	struct spoor_open_library_call *top;	/* after the last one */
	struct spoor_open_library_call *end;	/* the stub calls spoor_library_enter if top is not below end */
	bool left;			/* longjmp or an exception may have left calls */
	uint32_t unstored;		/* open calls that had no room */
	struct spoor_open_library_call calls[];
};

/* Functions that the runtime's other parts provide: they may call libc. */
struct spoor_library_helper {
	bool (*depends_on_caller)(const char *name);	/* dlopen's result depends on the calling module */
	void (*follow)(bool only_if_new);		/* updates the jump slots of all modules */
};
extern const struct spoor_library_helper *spoor_library_helper;

/* The registers of arguments, as the stub saves them. */
struct spoor_library_registers;

/*
 * spoor_library_prepare - prepares a call of another kind than SPOOR_LIBRARY_WORDS.
 * @memory: the first stack argument
 *
 * Returns the number of stack words; or -1 if the call is recorded without duration, and the stub jumps to the
 * function.
 */
long spoor_library_prepare(const struct spoor_library_call *call, const struct spoor_library_registers *registers,
			   const uint64_t *memory);

/* Called after the function, for kinds from SPOOR_LIBRARY_FOLLOWED on. @frame: address of the stub's frame. Returns
 * whether the call is closed without an exit. */
int spoor_library_after(const struct spoor_library_call *call, uintptr_t result, uintptr_t frame);

/* Adds an open call if the stub cannot. @frame: address of the stub's frame */
void spoor_library_enter(const struct spoor_library_call *call, uintptr_t frame);

/* Removes an open call if the stub cannot. Returns whether the stub has to store the exit. */
int spoor_library_leave(uintptr_t frame);

/* The personality of stubs: an exception, or the end of the thread, passes through. */
int spoor_library_personality(int version, int actions, uint64_t class, void *exception, void *context);

/* Frees the calling thread's list at the end of the thread. */
void spoor_library_thread_ends(void);

#endif
#endif
