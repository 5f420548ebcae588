/* SPDX-License-Identifier: MIT */
/*
 * stepping.h - runs a signal handler before any single instruction of a test.
 *
 * A first run with the trap flag records the addresses of the instructions, including
 * instructions of the slow path's C and of libc. Each further run sets a breakpoint at one of them, whose
 * handler acts. Breakpoints are used because a trap of the trap flag takes 20 us in a virtual machine.
 */
#ifndef STEPPING_H
#define STEPPING_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#define STEPPING_TRAP_FLAG 0x100

/* The addresses of the instructions in the last recorded run, in their order of execution. The last
 * STEPPING_AFTER of them clear the trap flag. */
extern uint64_t stepping_at[];
extern int stepping_count;
#define STEPPING_AFTER 2

/*
 * stepping_verify_callee - checks that the last recorded run called @function, with the stack aligned as C code expects.
 * @name: the function's name. Ends the test on failure.
 */
void stepping_verify_callee(uintptr_t function, const char *name);

/* The action of the handler; whether it ran; and the target of a handler that jumps out. */
extern void (*stepping_action)(void);
extern bool stepping_acted;
extern sigjmp_buf stepping_jump;

/* Handles SIGTRAP. Ends the test on failure. */
void stepping_begin(void);

/*
 * stepping_watch - begins to record instructions that run with the trap flag set, until
 * stepping_unwatch. @acts: also run the action before each instruction
 */
void stepping_watch(bool acts);
void stepping_unwatch(void);

/*
 * stepping_break, stepping_unbreak - the handler acts once, at step @at.
 * @name: name of the action, for stepping_end
 */
void stepping_break(int at, const char *name);
void stepping_unbreak(void);

/* stepping_again - tells if a call before had the instruction of step @at and the same number, 0 to 63. */
bool stepping_again(int at, uint32_t number);

/*
 * stepping_end - adds to the file $SPOOR_STEPS a line "ADDRESS NAME" for each instruction and
 * each action before it. Addresses are as in the program's symbol table.
 */
void stepping_end(void);

#endif
