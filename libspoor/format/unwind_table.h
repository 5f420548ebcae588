/* SPDX-License-Identifier: MIT */
/*
 * unwind_table.h - the sorted table in .eh_frame_hdr: where each function of a module begins.
 *
 * As the Linux Standard Base lays it out (Core, "Exception Frame Header"), in the encodings
 * that linkers write: offsets of four bytes, from the table's own begin.
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
	} entries[];		/* in the order of functions */
};

#define SPOOR_UNWIND_PC_RELATIVE 0x1b
#define SPOOR_UNWIND_UNSIGNED 0x03
#define SPOOR_UNWIND_TABLE_RELATIVE 0x3b

/* Whether that is what it is. Asked of the first 12 bytes. */
static inline bool spoor_unwind_table_is_one(const struct spoor_unwind_table *table)
{
	return table->version == 1 && table->frames_encoding == SPOOR_UNWIND_PC_RELATIVE &&
	       table->count_encoding == SPOOR_UNWIND_UNSIGNED && table->table_encoding == SPOOR_UNWIND_TABLE_RELATIVE;
}

#endif
