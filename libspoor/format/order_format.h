/* SPDX-License-Identifier: MIT */
/*
 * order_format.h - the layout of the list of mode 'order' in shared memory.
 *
 * The list is a file in the process's folder of the trace, which outlives the process however it ends.
 *
 *   offset 0                    struct spoor_order_header
 *   SPOOR_ORDER_ENTRIES_OFFSET  `count` entries of 32 bits: a dense index + 1; 0: its thread was
 *                               stopped before it stored the entry
 *
 * Functions are listed in the order of their first execution, by any thread of the process and of its
 * forked children. A function has one entry; it may have two if a fork happened after its thread
 * claimed the function and before the thread stored the entry.
 */
#ifndef SPOOR_ORDER_FORMAT_H
#define SPOOR_ORDER_FORMAT_H

#define SPOOR_ORDER_ENTRIES_OFFSET 64

/* Offset into struct spoor_order_header, for assembly. */
#define SPOOR_ORDER_COUNT 32

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

#define SPOOR_ORDER_FILE "order.spoor"
#define SPOOR_ORDER_MAGIC 0x3164726f72707073ull	/* "spprord1" */
#define SPOOR_ORDER_INDEXES (1u << 22)	/* dense indexes below this may have an entry */

struct spoor_order_header {
	uint64_t magic;
	uint32_t version;	/* SPOOR_TRACE_VERSION */
	uint32_t process_id;
	uint64_t session_id;
	uint64_t padding;
	uint32_t count;		/* number of entries */
	uint32_t capacity;	/* number of entries that fit */
};

_Static_assert(offsetof(struct spoor_order_header, count) == SPOOR_ORDER_COUNT, "trampolines/order_*.S");

#endif
#endif
