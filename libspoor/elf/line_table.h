/* SPDX-License-Identifier: MIT */
/* line_table.h - the header of one unit's line table: its directories and files. */
#ifndef SPOOR_LINE_TABLE_H
#define SPOOR_LINE_TABLE_H

#include <stdbool.h>

#include "elf/source_lines.h"

/* What is left to be read; `bad` once it was not enough. */
struct spoor_bytes {
	const uint8_t *at, *end;
	bool bad;
};

/* What an entry of a directory or file table may consist of (version 5). */
struct spoor_line_format {
	uint64_t content, form;
};
#define SPOOR_LINE_FORMATS_MAX 8u

/* One unit's table: its header, and where its directories and files are listed. */
struct spoor_line_table {
	const struct spoor_section *strings, *line_strings;
	bool wide;			/* 64-bit DWARF */
	uint16_t version;
	uint8_t least_length, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *opcode_lengths;	/* of opcode 1 and on */
	struct spoor_line_format directory_formats[SPOOR_LINE_FORMATS_MAX], file_formats[SPOOR_LINE_FORMATS_MAX];
	uint8_t directory_format_count, file_format_count;
	uint64_t directory_count, file_count;
	struct spoor_bytes directories, files;	/* their entries */

	uint64_t known_file;		/* + 1: the one that `known` is of */
	struct spoor_source_place known;
};

uint64_t spoor_bytes_number(struct spoor_bytes *bytes, unsigned int size);
uint64_t spoor_bytes_leb(struct spoor_bytes *bytes, bool is_signed);
void spoor_bytes_skip(struct spoor_bytes *bytes, uint64_t count);

/*
 * spoor_line_table_read - reads a header, up to its tables' entries.
 * @bytes: what follows the unit's length
 *
 * Return: where the unit's program begins, or null where it makes no sense.
 */
const uint8_t *spoor_line_table_read(struct spoor_line_table *table, struct spoor_bytes *bytes);

/* Where file @index is; what was asked for last is remembered. */
const struct spoor_source_place *spoor_line_table_file(struct spoor_line_table *table, uint64_t index);

#endif
