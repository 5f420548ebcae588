/* SPDX-License-Identifier: MIT */
/* stack_frame.h - a frame of a thread's stack, as a stack walker passes it to the runtime. */
#ifndef SPOOR_STACK_FRAME_H
#define SPOOR_STACK_FRAME_H

#include <stdint.h>

enum spoor_stack_frame_kind {
	SPOOR_STACK_CALLER,		/* the caller of the frame before */
	SPOOR_STACK_INTERRUPTED,	/* no caller: the thread executes it, or a signal interrupted it */
	/* Not a frame: the end of the stack of @thread. */
	SPOOR_STACK_END,
	SPOOR_STACK_CUT,		/* the end of the readable part: the rest of the stack could not be read */
};

struct spoor_stack_frame {
	uint64_t function;	/* address of the function's begin */
	uint64_t at;		/* address of the next instruction; of a caller, of the last byte of its call */
	uint64_t place;		/* address of the frame's return address; 0: unknown */
	uint32_t kind;		/* enum spoor_stack_frame_kind */
	uint32_t thread;	/* the kernel's thread ID */
};

#endif
