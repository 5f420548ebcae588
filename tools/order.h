/* SPDX-License-Identifier: MIT */
/*
 * order.h - in which order the functions of each library are to stand, from what one run or
 * several of them executed first.
 */
#ifndef SPOOR_TOOLS_ORDER_H
#define SPOOR_TOOLS_ORDER_H

#include "name_table.h"
#include "output.h"

struct order_function {
	uint32_t name;			/* in the name table: linkage name and library */
	uint32_t runs;			/* that have it */
	uint32_t latest_run;		/* the last of them */
	uint64_t ranks;			/* its places in them, added up: 0 is the first */
	uint64_t first;			/* a number that is smaller the earlier it came, in all runs */
};

struct order {
	struct name_table names;
	struct order_function *list;	/* by name, from 1; then sorted */
	uint32_t count, capacity;
	uint32_t runs;			/* processes that noted an order */
	uint64_t entries;		/* of all of them */
	uint64_t nameless;		/* without a symbol: a linker cannot be told of them */
};

/* How a linker is told. */
struct order_format {
	const char *name;
	/* Writes the functions [begin, end) of the list, which are one library's. */
	void (*write)(struct output *out, const struct order *order, uint32_t begin, uint32_t end);
};

extern const struct order_format order_formats[];
extern const size_t order_format_count;

#endif
