/* SPDX-License-Identifier: MIT */
/* stack_frame.h - a frame of a thread's stack, as whoever walks it tells the runtime. */
#ifndef SPOOR_STACK_FRAME_H
#define SPOOR_STACK_FRAME_H

#include <stdint.h>

enum spoor_stack_frame_kind {
	SPOOR_STACK_CALLER,		/* it has called the one before */
	SPOOR_STACK_INTERRUPTED,	/* it has not: the thread stands in it, or a signal came */
	/* No frame: the stack of @thread ends here. */
	SPOOR_STACK_END,
	SPOOR_STACK_CUT,		/* the same, and there is more of it that could not be read */
};

struct spoor_stack_frame {
	uint64_t function;	/* where its function begins */
	uint64_t at;		/* the next instruction; of a caller, the last byte of its call */
	uint64_t place;		/* where its return address lies; 0: not known */
	uint32_t kind;		/* enum spoor_stack_frame_kind */
	uint32_t thread;	/* the kernel's ID */
};

#endif
