/* SPDX-License-Identifier: MIT */
/*
 * order.h - in which order the functions of each library are to stand, from what one run or
 * several of them executed first.
 */
#ifndef SPOOR_TOOLS_ORDER_H
#define SPOOR_TOOLS_ORDER_H

#include "base/name_table.h"
#include "base/output.h"

struct order_function {
	uint32_t name;			/* in the name table: linkage name and library */
	uint32_t runs;			/* that have it */
	uint32_t latest_run;		/* the last of them */
	uint64_t ranks;			/* its places in them, added up: 0 is the first */
	uint64_t first;			/* a number that is smaller the earlier it came, in all runs */
};

/* A run has executed a function, in one of its windows of time: the first function, the next two,
 * the next four, ... */
struct order_visit {
	uint32_t name, window;
};

struct order {
	const char *until;		/* to be set: checked patterns of the last function of a run; null: all of it */
	uint32_t never_there;		/* runs that have none such */
	struct name_table names;
	struct order_function *list;	/* by name, from 1; then sorted */
	uint32_t count, capacity;
	uint32_t runs;			/* processes that noted an order */
	uint64_t entries;		/* of all of them */
	uint64_t nameless;		/* without a symbol: a linker cannot be told of them */
	struct order_visit *visits;
	size_t visit_count, visit_capacity;
	uint32_t windows;		/* of all runs */
	struct order_library *libraries;
	size_t library_count;
};

/* The file of a library, as the first trace that has it says. */
struct order_library {
	char *name, *path;
};

/*
 * order_take_trace - adds the runs of a trace; each of its processes is one.
 * @libraries: patterns of those that are wanted, or null
 *
 * Return: an enum spoor_exit. Without memory it says so and ends the program.
 */
int order_take_trace(struct order *order, const char *libraries, const char *path);

void order_no_memory(void) __attribute__((noreturn));

/*
 * order_balance - moves functions of [begin, end), one library's, so that those that the same
 * runs execute at about the same time lie together.
 *
 * Return: 0 or -ENOMEM.
 */
int order_balance(struct order *order, uint32_t begin, uint32_t end);

/* How a linker is told. */
struct order_format {
	const char *name;
	/* Writes the functions [begin, end) of the list, which are one library's. */
	void (*write)(struct output *out, const struct order *order, uint32_t begin, uint32_t end);
};

/* How much of a linkage name link-time optimisation leaves alone: all but "f.llvm.123", say.
 * What -funique-internal-linkage-names adds is the compiler's, "f.__uniq.123". */
size_t order_name_length(const char *linkage);

extern const struct order_format order_formats[];
extern const size_t order_format_count;

#endif
