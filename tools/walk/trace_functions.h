/* SPDX-License-Identifier: MIT */
/*
 * trace_functions.h - numbers the functions of all processes of a trace, from 1, in the order in which
 * they are found. A function has one number, even if several processes loaded its file.
 *
 * Texts stay valid until the end of the walk over the trace. The memory grows with the number of
 * functions, not with the number of processes.
 */
#ifndef SPOOR_TOOLS_TRACE_FUNCTIONS_H
#define SPOOR_TOOLS_TRACE_FUNCTIONS_H

#include "base/name_table.h"
#include "reader/symbols/functions.h"

struct trace_function {
	const char *name, *library;
	const char *linkage;	/* null: unknown */
	char *file;		/* of the source, owned by the table; null: unknown */
	uint32_t line;		/* 0: unknown */
	uint64_t id;		/* the function ID */
};

struct trace_functions {
	struct trace_function *list;	/* [0] is unused */
	uint32_t count, capacity;	/* [1, count] */
	struct map64 of_symbol;		/* number by symbol file and local ID */
	struct name_table others;	/* names, and libraries with IDs, of functions without symbols */
	uint32_t *number_of_other;	/* by number in `others` */
	uint32_t other_capacity;

	uint32_t *number_of;		/* by function number of the current process */
	uint32_t number_of_count;
};

/* Called before the functions of another process. */
void trace_functions_process_begin(struct trace_functions *table);
void trace_functions_free(struct trace_functions *table);

/* Returns the number of a state of a thread that a format writes like a function; 0 if memory runs out. */
uint32_t trace_functions_named(struct trace_functions *table, const char *name);

uint32_t trace_functions_find(struct trace_functions *table, struct functions *functions, uint32_t number);

/* Returns the number of a function of the current process; 0 if memory runs out. */
static inline uint32_t trace_functions_number(struct trace_functions *table, struct functions *functions, uint32_t number)
{
	if (number < table->number_of_count && table->number_of[number])
		return table->number_of[number];
	return trace_functions_find(table, functions, number);
}

#endif
