/* SPDX-License-Identifier: MIT */
/*
 * order_format.h - the order of mode 'order' as shared memory: a file in the process's trace
 * folder, which outlives the process whatever ends that.
 *
 *   offset 0                    struct spoor_order_header
 *   SPOOR_ORDER_ENTRIES_OFFSET  `count` entries of 32 bits: a dense index + 1; 0: its thread
 *                               was stopped before it could store it
 *
 * Each function has one entry at most, in the order in which functions were first executed,
 * by any thread, and by processes that this one forked; two, where the fork came between the
 * function's claim and its entry.
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
#define SPOOR_ORDER_INDEXES (1u << 22)	/* dense indexes from 0 that may have an entry */

struct spoor_order_header {
	uint64_t magic;
	uint32_t version;	/* SPOOR_TRACE_VERSION */
	uint32_t process_id;
	uint64_t session_id;
	uint64_t padding;
	uint32_t count;		/* of entries */
	uint32_t capacity;	/* that there is room for */
};

_Static_assert(offsetof(struct spoor_order_header, count) == SPOOR_ORDER_COUNT, "trampolines/order_*.S");

#endif
#endif
