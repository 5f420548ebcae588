/* SPDX-License-Identifier: MIT */
/* flame.h - what spoor flame draws, and how. */
#ifndef SPOOR_TOOLS_FLAME_H
#define SPOOR_TOOLS_FLAME_H

#include "base/output.h"
#include "walk/stacks.h"

struct flame {
	struct output out;
	struct stacks stacks;
	const char *title;
	bool by_calls;		/* values are calls, not nanoseconds */
	bool inverted;		/* the root above */
	uint64_t *own;		/* by node: what is its alone; and with all that it called, */
	uint64_t *total;
	uint64_t *own_before, *total_before;	/* in the trace that this one is compared with; null: none */
};

/* A picture that needs nothing else: zoom by click, search, details under the pointer. */
void flame_svg(struct flame *flame);

#endif
