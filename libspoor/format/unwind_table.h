/* SPDX-License-Identifier: MIT */
/*
 * unwind_table.h - the sorted table in .eh_frame_hdr, which lists where each function of a module begins.
 *
 * The Linux Standard Base defines it (Core, "Exception Frame Header"). Linkers use these encodings:
 * offsets of four bytes, relative to the begin of the table.
 */
#ifndef SPOOR_UNWIND_TABLE_H
#define SPOOR_UNWIND_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct spoor_unwind_table {
	uint8_t version, frames_encoding, count_encoding, table_encoding;
	int32_t frames;
	uint32_t count;
	struct spoor_unwind_entry {
		int32_t function, frame;
	} entries[];		/* sorted by function */
};

#define SPOOR_UNWIND_PC_RELATIVE 0x1b
#define SPOOR_UNWIND_UNSIGNED 0x03
#define SPOOR_UNWIND_TABLE_RELATIVE 0x3b

/* Tells if the first 12 bytes have the supported version and encodings. */
static inline bool spoor_unwind_table_is_one(const struct spoor_unwind_table *table)
{
	return table->version == 1 && table->frames_encoding == SPOOR_UNWIND_PC_RELATIVE &&
	       table->count_encoding == SPOOR_UNWIND_UNSIGNED && table->table_encoding == SPOOR_UNWIND_TABLE_RELATIVE;
}

#endif
