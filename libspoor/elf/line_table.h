/* SPDX-License-Identifier: MIT */
/* line_table.h - parses the header of one unit's line table: its directories and files. */
#ifndef SPOOR_LINE_TABLE_H
#define SPOOR_LINE_TABLE_H

#include <stdbool.h>

#include "elf/source_lines.h"

/* The bytes that are still to be read. `bad` is set when a read goes past the end. */
struct spoor_bytes {
	const uint8_t *at, *end;
	bool bad;
};

/* A field of the entries of a directory or file table (version 5). */
struct spoor_line_format {
	uint64_t content, form;
};
#define SPOOR_LINE_FORMATS_MAX 8u

/* The header of one unit's table, and where its directories and files are listed. */
struct spoor_line_table {
	const struct spoor_section *strings, *line_strings;
	bool wide;			/* 64-bit DWARF */
	uint16_t version;
	uint8_t least_length, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *opcode_lengths;	/* lengths from opcode 1 on */
	struct spoor_line_format directory_formats[SPOOR_LINE_FORMATS_MAX], file_formats[SPOOR_LINE_FORMATS_MAX];
	uint8_t directory_format_count, file_format_count;
	uint64_t directory_count, file_count;
	struct spoor_bytes directories, files;	/* entries of the two tables */

	uint64_t known_file;		/* index + 1 of the file in `known`; 0: none */
	struct spoor_source_place known;
};

uint64_t spoor_bytes_number(struct spoor_bytes *bytes, unsigned int size);
uint64_t spoor_bytes_leb(struct spoor_bytes *bytes, bool is_signed);
void spoor_bytes_skip(struct spoor_bytes *bytes, uint64_t count);

/*
 * spoor_line_table_read - parses a header up to the entries of its tables.
 * @bytes: the bytes after the unit's length
 *
 * Return: the begin of the unit's line program, or null if the header is invalid.
 */
const uint8_t *spoor_line_table_read(struct spoor_line_table *table, struct spoor_bytes *bytes);

/* Returns the place of file @index. The last result is cached, and the next call overwrites it. */
const struct spoor_source_place *spoor_line_table_file(struct spoor_line_table *table, uint64_t index);

#endif
