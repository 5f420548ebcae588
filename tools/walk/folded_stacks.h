/* SPDX-License-Identifier: MIT */
/* folded_stacks.h - call paths as folded stacks. */
#ifndef SPOOR_TOOLS_FOLDED_STACKS_H
#define SPOOR_TOOLS_FOLDED_STACKS_H

#include "base/output.h"
#include "walk/stacks.h"

/*
 * stacks_write_folded - one line a path, "main;parse;read 1234", as Brendan Gregg's tools read; two
 * values where two traces are compared, as his difffolded.pl writes.
 * @own, @before: by node; null: self time, and no other trace
 */
void stacks_write_folded(struct output *out, const struct stacks *stacks, const uint64_t *own, const uint64_t *before);

/*
 * stacks_write_path - the path to a node as it stands there: its names, with semicolons between them.
 * @path: room for as many nodes as it is deep
 */
void stacks_write_path(struct output *out, const struct stacks *stacks, uint32_t *path, uint32_t node);

#endif
