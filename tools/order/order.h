/* SPDX-License-Identifier: MIT */
/*
 * order.h - computes the order of the functions of each library, from the functions that one or several
 * runs executed first.
 */
#ifndef SPOOR_TOOLS_ORDER_H
#define SPOOR_TOOLS_ORDER_H

#include "base/name_table.h"
#include "base/output.h"

struct order_function {
	uint32_t name;			/* number in the name table: linkage name and library */
	uint32_t runs;			/* number of runs that executed it */
	uint32_t latest_run;		/* the last of these runs, from 1 */
	uint64_t ranks;			/* sum of its positions in these runs; the first position is 0 */
	uint64_t first;			/* run and position of the first execution; smaller is earlier */
};

/* A run executed a function in one of its windows of time: the first function, the next two, the next
 * four, ... */
struct order_visit {
	uint32_t name, window;
};

struct order {
	const char *until;		/* set by the caller: patterns of the function that ends a run; NULL: none */
	uint32_t runs_without_until;		/* runs without such a function */
	struct name_table names;
	struct order_function *list;	/* by name, from 1; sorted after reading */
	uint32_t count, capacity;
	uint32_t runs;			/* processes with an order */
	uint64_t entries;		/* of all orders */
	uint64_t nameless;		/* entries without a symbol, which a linker cannot order */
	struct order_visit *visits;
	size_t visit_count, visit_capacity;
	uint32_t windows;		/* number of windows of all runs */
	struct order_library *libraries;
	size_t library_count;
};

/* The name and the path of a library, as in the first trace that has it. Both are owned. */
struct order_library {
	char *name, *path;
};

/*
 * order_add_trace - adds the runs of a trace. Each process is a run.
 * @libraries: patterns of the wanted libraries; NULL: all
 *
 * Returns an enum spoor_exit. Without memory prints a message and exits.
 */
int order_add_trace(struct order *order, const char *libraries, const char *path);

void order_exit_without_memory(void) __attribute__((noreturn));

/*
 * order_balance - sorts the functions [begin, end) of one library, so that functions are together
 * which the same runs execute at about the same time.
 *
 * Returns 0, or -ENOMEM.
 */
int order_balance(struct order *order, uint32_t begin, uint32_t end);

/* A format for linkers. */
struct order_format {
	const char *name;
	/* Writes the functions [begin, end) of the list, all of one library. */
	void (*write)(struct output *out, const struct order *order, uint32_t begin, uint32_t end);
};

/*
 * Returns the length of a linkage name without the suffix of link-time optimisation, such as
 * "f.llvm.123". The suffix of -funique-internal-linkage-names, as in "f.__uniq.123", is kept.
 */
size_t order_name_length(const char *linkage);

extern const struct order_format order_formats[];
extern const size_t order_format_count;

#endif
