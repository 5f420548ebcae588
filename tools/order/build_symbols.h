/* SPDX-License-Identifier: MIT */
/*
 * build_symbols.h - computes the effect of an order on a build: which of its functions the build has,
 * and how many pages of text they occupy now and in this order.
 */
#ifndef SPOOR_TOOLS_ORDER_BUILD_SYMBOLS_H
#define SPOOR_TOOLS_ORDER_BUILD_SYMBOLS_H

#include <stdint.h>

#include "order/order.h"

#define ORDER_PAGE_BYTES 4096u

struct order_effect {
	uint64_t named;		/* functions of the order */
	uint64_t missing;	/* functions that the build lacks: inlined or removed */
	uint64_t folded;	/* functions with the same code as another function of the order */
	uint64_t shared;	/* names of several functions; a linker moves all of them */
	/* Pages of text with functions of the order: as linked now, in this order with functions aligned
	 * to 16 bytes, and without gaps. */
	uint64_t pages_now, pages_ordered, pages_least;
};

/*
 * order_build_effect - computes the effect of functions [begin, end) of the list on the ELF file @path.
 *
 * Names are compared with the file's symbol table, with and without the suffix of link-time
 * optimisation. Returns NULL, or the fault of the file as a sentence without its full stop.
 */
const char *order_build_effect(const char *path, const struct order *order, uint32_t begin, uint32_t end,
			       struct order_effect *effect);

#endif
