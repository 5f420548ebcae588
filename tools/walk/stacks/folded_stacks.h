/* SPDX-License-Identifier: MIT */
/* folded_stacks.h - writes call paths as folded stacks. */
#ifndef SPOOR_TOOLS_FOLDED_STACKS_H
#define SPOOR_TOOLS_FOLDED_STACKS_H

#include "base/output.h"
#include "walk/stacks/stacks.h"

/*
 * stacks_write_folded - writes one line for each path, "main;parse;read 1234", for Brendan Gregg's
 * tools. In a comparison of two traces, a line has two values, like the output of difffolded.pl.
 * @own, @before: values by node; null: self time, and no other trace
 */
void stacks_write_folded(struct output *out, const struct stacks *stacks, const uint64_t *own, const uint64_t *before);

/*
 * stacks_write_path - writes the path to a node: its names with semicolons between them.
 * @path: room for as many nodes as the node's depth
 */
void stacks_write_path(struct output *out, const struct stacks *stacks, uint32_t *path, uint32_t node);

#endif
