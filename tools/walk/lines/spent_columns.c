/* SPDX-License-Identifier: MIT */
/* spent_columns.c - the columns CPU and WAIT beside call paths. */
#include "walk/lines/spent_columns.h"

#include <string.h>

static void write_title(struct output *out, const char *title)
{
	output_spaces(out, 2 + OUTPUT_DURATION_WIDTH - strlen(title));
	output_string(out, title);
}

size_t spent_columns_width(const struct stacks *stacks)
{
	return (stacks->spent ? 2 : stacks->stored ? 1 : 0) * (2 + OUTPUT_DURATION_WIDTH);
}

void spent_columns_heading(struct output *out, const struct stacks *stacks)
{
	if (stacks->spent || stacks->stored)
		write_title(out, "CPU");
	if (stacks->spent)
		write_title(out, "WAIT");
}

bool spent_columns_cpu(const struct stacks *stacks, const struct stack_spent *spent, const struct stack_stored *stored,
		       uint64_t total_ns, uint64_t *cpu_ns)
{
	*cpu_ns = stacks->spent ? spent->cpu_ns : stored->cpu_ns;
	return stacks->spent || stack_stored_is_whole(stored, total_ns);
}

void spent_columns_write(struct output *out, const struct stacks *stacks, const struct stack_spent *spent,
			 const struct stack_stored *stored, uint64_t total_ns)
{
	uint64_t cpu_ns;

	if (spent_columns_cpu(stacks, spent, stored, total_ns, &cpu_ns)) {
		output_spaces(out, 2);
		output_duration(out, cpu_ns);
	} else {
		output_spaces(out, spent_columns_width(stacks));
	}
	if (stacks->spent) {
		output_spaces(out, 2);
		output_duration(out, spent->wait_ns);
	}
}
