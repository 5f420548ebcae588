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

/*
 * flame_folded - one line a path, "main;parse;read 1234", as Brendan Gregg's tools read; two
 * values where two traces are compared, as his difffolded.pl writes.
 * @own, @before: by node; null: self time, and no other trace
 */
void flame_folded(struct output *out, const struct stacks *stacks, const uint64_t *own, const uint64_t *before);

/* The path to a node as it stands there: as long as its names and the semicolons between them.
 * @path: room for as many nodes as it is deep */
void flame_path(struct output *out, const struct stacks *stacks, uint32_t *path, uint32_t node);

/* A picture that needs nothing else: zoom by click, search, details under the pointer. */
void flame_svg(struct flame *flame);

#endif
