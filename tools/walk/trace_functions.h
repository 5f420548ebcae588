/* SPDX-License-Identifier: MIT */
/*
 * trace_functions.h - the functions of all processes of a trace, numbered from 1 in the order
 * in which they turn up: a function of a file that several processes had is one.
 *
 * Texts stay until the walk over the trace is at its end. What it takes grows with the
 * functions, not with the processes.
 */
#ifndef SPOOR_TOOLS_TRACE_FUNCTIONS_H
#define SPOOR_TOOLS_TRACE_FUNCTIONS_H

#include "base/name_table.h"
#include "reader/symbols/functions.h"

struct trace_function {
	const char *name, *library;
	const char *linkage;	/* its linkage name; null: not known */
	char *file;		/* of the source, ours; null: not known */
	uint32_t line;		/* 0: not known */
	uint64_t id;		/* the function ID */
};

struct trace_functions {
	struct trace_function *list;	/* [0] is nobody's */
	uint32_t count, capacity;	/* [1, count] */
	struct map64 of_symbol;		/* symbol file and local ID to number */
	struct name_table others;	/* names, and libraries with IDs, of those without symbols */
	uint32_t *number_of_other;	/* by their numbers there */
	uint32_t other_capacity;

	uint32_t *number_of;		/* by the numbers of the process at hand */
	uint32_t number_of_count;
};

/* Before the functions of another process. */
void trace_functions_process_begin(struct trace_functions *table);
void trace_functions_free(struct trace_functions *table);

uint32_t trace_functions_find(struct trace_functions *table, struct functions *functions, uint32_t number);

/* What number a function of the process at hand has here; 0 without memory. */
static inline uint32_t trace_functions_number(struct trace_functions *table, struct functions *functions, uint32_t number)
{
	if (number < table->number_of_count && table->number_of[number])
		return table->number_of[number];
	return trace_functions_find(table, functions, number);
}

#endif
