/* SPDX-License-Identifier: MIT */
/*
 * spent_columns.h - the columns CPU and WAIT beside call paths: both in a trace of `spoor record --sched`, CPU alone in one
 * of --cpu-time, else none.
 */
#ifndef SPOOR_TOOLS_SPENT_COLUMNS_H
#define SPOOR_TOOLS_SPENT_COLUMNS_H

#include "base/output.h"
#include "walk/stacks/stacks.h"

/* Returns the number of characters of the columns, with two spaces before each. */
size_t spent_columns_width(const struct stacks *stacks);

/* Writes the columns' titles. */
void spent_columns_heading(struct output *out, const struct stacks *stacks);

/* Writes the times of calls that took @total_ns together. CPU is empty if not all of them have a stored time. */
void spent_columns_write(struct output *out, const struct stacks *stacks, const struct stack_spent *spent,
			 const struct stack_stored *stored, uint64_t total_ns);

/* Returns whether the processor time of such calls is known, and sets it. */
bool spent_columns_cpu(const struct stacks *stacks, const struct stack_spent *spent, const struct stack_stored *stored,
		       uint64_t total_ns, uint64_t *cpu_ns);

#endif
