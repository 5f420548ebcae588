/* SPDX-License-Identifier: MIT */
/*
 * stepping.h - a signal handler that comes before any one instruction of what a test runs.
 *
 * A first run with the trap flag set says where the instructions are, those of the slow
 * path's C and of libc too. In each further one a breakpoint stands at one of them, whose
 * handler acts: a trap of the trap flag costs 20 us in a virtual machine.
 */
#ifndef STEPPING_H
#define STEPPING_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#define STEPPING_TRAP_FLAG 0x100

/* The instructions of the last run that was stepped, as they were executed. The last
 * STEPPING_AFTER of them clear the trap flag. */
extern uint64_t stepping_at[];
extern int stepping_count;
#define STEPPING_AFTER 2

/* What the handler does; whether it has. Where a handler that jumps out of it goes to. */
extern void (*stepping_action)(void);
extern bool stepping_acted;
extern sigjmp_buf stepping_jump;

/* Takes SIGTRAP. Ends the test where it cannot. */
void stepping_begin(void);

/*
 * stepping_watch - from here to stepping_unwatch what runs with the trap flag set is
 * written down. @acts: and the handler acts before each instruction.
 */
void stepping_watch(bool acts);
void stepping_unwatch(void);

/*
 * stepping_break, stepping_unbreak - the handler acts once, at the step @at.
 * @name: what it does, for stepping_end
 */
void stepping_break(int at, const char *name);
void stepping_unbreak(void);

/*
 * stepping_end - adds to the file $SPOOR_STEPS a line for each instruction and what was
 * done before it, "ADDRESS NAME", addresses as in the program's symbol table.
 */
void stepping_end(void);

#endif
