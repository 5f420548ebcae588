/* SPDX-License-Identifier: MIT */
/* symbol_lines.c - writes the source places of functions as a line table (DWARF 4, section 6.2). */
#include "reader/packed/symbol_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/symbols/symbol_places.h"
#include "reader/packed/symbol_subset.h"

enum { LNS_COPY = 1, LNS_ADVANCE_PC, LNS_ADVANCE_LINE, LNS_SET_FILE };
enum { LNE_END_SEQUENCE = 1, LNE_SET_ADDRESS = 2 };
enum { VERSION = 4, LENGTH_BYTES = 4, OPCODE_BASE = 13 };

/* The lengths of the unit and of its header are filled in at the end. */
#define HEADER_LENGTH_AT (LENGTH_BYTES + sizeof(uint16_t))
#define HEADER_AT (HEADER_LENGTH_AT + LENGTH_BYTES)

struct line {
	uint64_t address;
	char *path;
	uint32_t line;
};

static int by_path(const void *a, const void *b)
{
	const struct line *one = a, *other = b;
	int order = strcmp(one->path, other->path);

	return order ? order : (one->address > other->address) - (one->address < other->address);
}

/* Returns the number of lines. */
static size_t take_lines(struct symbol_file *file, struct line *lines)
{
	size_t count = 0;

	for (uint32_t i = 0; i < file->count; i++) {
		struct symbol_place said, place = { 0 };

		if (!symbol_file_wants(file, i))
			continue;
		said = described_place(symbol_file_described(file, i));

		if (!said.path)
			place = symbol_file_place(file, i);
		free(said.path);
		if (place.path && place.line)
			lines[count++] = (struct line){ file->virtual[i], place.path, place.line };
		else
			free(place.path);
	}
	qsort(lines, count, sizeof(*lines), by_path);
	return count;
}

enum { UNSIGNED = 0x80, SIGNED = 0x40 };	/* the last byte of a number is smaller */

/* Writes a number that is not negative as LEB128, which fits both signed and unsigned fields. */
static void put_leb(FILE *out, uint64_t number, uint64_t end)
{
	for (; number >= end; number >>= 7)
		putc((int)(number & 0x7f) | 0x80, out);
	putc((int)number, out);
}

static void put_header(FILE *out, const struct line *lines, size_t count)
{
	/* Before the operand counts of the standard opcodes: the least instruction length, operations in an
	 * instruction, is_stmt, the line base and range, the opcode base. */
	static const uint8_t shape[] = { 1, 1, 1, (uint8_t)-5, 14, OPCODE_BASE, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	static const uint8_t lengths[LENGTH_BYTES];
	const uint16_t version = VERSION;

	fwrite(lengths, sizeof(lengths), 1, out);
	fwrite(&version, sizeof(version), 1, out);
	fwrite(lengths, sizeof(lengths), 1, out);
	fwrite(shape, sizeof(shape), 1, out);
	putc(0, out);	/* no directories */
	for (size_t i = 0; i < count; i++) {
		if (i && strcmp(lines[i].path, lines[i - 1].path) == 0)
			continue;
		fwrite(lines[i].path, strlen(lines[i].path) + 1, 1, out);
		fwrite((const char[3]){ 0 }, 3, 1, out);	/* directory, time, length */
	}
	putc(0, out);
}

static void put_program(FILE *out, const struct line *lines, size_t count)
{
	uint64_t number = 0;

	for (size_t i = 0; i < count; i++) {
		number += !i || strcmp(lines[i].path, lines[i - 1].path) != 0;
		putc(0, out);
		put_leb(out, 1 + sizeof(lines[i].address), UNSIGNED);
		putc(LNE_SET_ADDRESS, out);
		fwrite(&lines[i].address, sizeof(lines[i].address), 1, out);
		putc(LNS_SET_FILE, out);
		put_leb(out, number, UNSIGNED);
		putc(LNS_ADVANCE_LINE, out);	/* lines start at 1 */
		put_leb(out, lines[i].line - 1, SIGNED);
		putc(LNS_COPY, out);
		putc(LNS_ADVANCE_PC, out);
		put_leb(out, 1, UNSIGNED);
		putc(0, out);
		put_leb(out, 1, UNSIGNED);
		putc(LNE_END_SEQUENCE, out);
	}
}

static int make(const struct line *lines, size_t count, char **bytes, size_t *size)
{
	FILE *out = open_memstream(bytes, size);
	uint32_t length, header_length;
	long program_at;

	if (!out)
		return -ENOMEM;
	put_header(out, lines, count);
	program_at = ftell(out);
	put_program(out, lines, count);
	if (fclose(out) || program_at < 0)
		return -ENOMEM;
	if (*size > INT32_MAX)
		return -EFBIG;
	length = (uint32_t)(*size - LENGTH_BYTES);
	header_length = (uint32_t)((size_t)program_at - HEADER_AT);
	memcpy(*bytes, &length, sizeof(length));
	memcpy(*bytes + HEADER_LENGTH_AT, &header_length, sizeof(header_length));
	return 0;
}

int symbol_lines_make(struct symbol_file *file, char **bytes, size_t *size)
{
	struct line *lines = calloc((size_t)file->count + 1, sizeof(*lines));
	size_t count;
	int error = 0;

	*bytes = NULL;
	*size = 0;
	if (!lines)
		return -ENOMEM;
	count = take_lines(file, lines);
	if (count)
		error = make(lines, count, bytes, size);
	if (error) {
		free(*bytes);
		*bytes = NULL;
	}
	for (size_t i = 0; i < count; i++)
		free(lines[i].path);
	free(lines);
	return error;
}
