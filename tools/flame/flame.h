/* SPDX-License-Identifier: MIT */
/* flame.h - the call paths that spoor flame draws, and how it draws them. */
#ifndef SPOOR_TOOLS_FLAME_H
#define SPOOR_TOOLS_FLAME_H

#include "base/output.h"
#include "walk/stacks/stacks.h"

struct flame {
	struct output out;
	struct stacks stacks;
	const char *title;
	bool by_calls;		/* values are calls, not nanoseconds */
	bool upward;		/* the first callers are at the bottom */
	uint64_t *own;		/* by node: value without called functions, in ns or calls */
	uint64_t *total;	/* by node: value with called functions */
	uint64_t *own_before, *total_before;	/* values in the earlier trace; NULL: there is none */
};

/* Writes a picture that needs no other file. A click zooms, and the pointer and the search show details. */
void flame_svg(struct flame *flame);

#endif
