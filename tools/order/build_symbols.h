/* SPDX-License-Identifier: MIT */
/*
 * build_symbols.h - what an order does to a build: which functions of it that has, and on how many
 * pages of text they stand, now and laid out so.
 */
#ifndef SPOOR_TOOLS_ORDER_BUILD_H
#define SPOOR_TOOLS_ORDER_BUILD_H

#include <stdint.h>

#include "order/order.h"

#define ORDER_PAGE_BYTES 4096u

struct order_effect {
	uint64_t named;		/* functions of the order */
	uint64_t missing;	/* that the build has not: inlined, or gone */
	uint64_t folded;	/* whose code is another one's of the order, too */
	uint64_t shared;	/* whose name several functions have, all of which are moved */
	/* Pages of text with code of the order: as it is linked, in this order with each function at
	 * a multiple of 16 bytes, and without a gap. */
	uint64_t pages_now, pages_ordered, pages_least;
};

/*
 * order_build_effect - what the functions [begin, end) of the list are to the ELF file @path.
 *
 * Names count as in the file's symbol table, with and without what link-time optimisation
 * adds. Return: null, or what is wrong with the file, a sentence without its end.
 */
const char *order_build_effect(const char *path, const struct order *order, uint32_t begin, uint32_t end,
			       struct order_effect *effect);

#endif
