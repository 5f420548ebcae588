/* SPDX-License-Identifier: MIT */
/* line_table.c - parses headers of line tables (DWARF 5, section 6.2.4). */
#include "elf/line_table.h"

#include <string.h>

enum { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2 };
enum {
	FORM_DATA2 = 0x05, FORM_DATA4 = 0x06, FORM_DATA8 = 0x07, FORM_STRING = 0x08, FORM_BLOCK = 0x09,
	FORM_DATA1 = 0x0b, FORM_STRP = 0x0e, FORM_UDATA = 0x0f, FORM_DATA16 = 0x1e, FORM_LINE_STRP = 0x1f,
};

uint64_t spoor_bytes_number(struct spoor_bytes *bytes, unsigned int size)
{
	uint64_t value = 0;

	if ((size_t)(bytes->end - bytes->at) < size) {
		bytes->at = bytes->end;
		bytes->bad = true;
		return 0;
	}
	memcpy(&value, bytes->at, size);	/* little-endian like the host */
	bytes->at += size;
	return value;
}

uint64_t spoor_bytes_leb(struct spoor_bytes *bytes, bool is_signed)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)spoor_bytes_number(bytes, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !bytes->bad);
	if (is_signed && shift < 64 && byte & 0x40)
		value |= ~0ull << shift;
	return value;
}

static const char *string(struct spoor_bytes *bytes)
{
	const uint8_t *begin = bytes->at;
	const uint8_t *nul = memchr(begin, 0, (size_t)(bytes->end - begin));

	bytes->bad |= !nul;
	bytes->at = nul ? nul + 1 : bytes->end;
	return nul ? (const char *)begin : "";
}

void spoor_bytes_skip(struct spoor_bytes *bytes, uint64_t count)
{
	if (count > (uint64_t)(bytes->end - bytes->at)) {
		bytes->bad = true;
		count = (uint64_t)(bytes->end - bytes->at);
	}
	bytes->at += count;
}

static const char *string_of(const struct spoor_section *section, uint64_t offset)
{
	if (!section->bytes || offset >= section->size || !memchr(section->bytes + offset, 0, section->size - offset))
		return "";
	return section->bytes + offset;
}

/* Reads a value of a form. @text: out: the string, for string forms */
static uint64_t value_of(const struct spoor_line_table *table, struct spoor_bytes *bytes, uint64_t form, const char **text)
{
	switch (form) {
	case FORM_STRING:
		*text = string(bytes);
		return 0;
	case FORM_STRP:
		*text = string_of(table->strings, spoor_bytes_number(bytes, table->wide ? 8 : 4));
		return 0;
	case FORM_LINE_STRP:
		*text = string_of(table->line_strings, spoor_bytes_number(bytes, table->wide ? 8 : 4));
		return 0;
	case FORM_DATA1:
		return spoor_bytes_number(bytes, 1);
	case FORM_DATA2:
		return spoor_bytes_number(bytes, 2);
	case FORM_DATA4:
		return spoor_bytes_number(bytes, 4);
	case FORM_DATA8:
		return spoor_bytes_number(bytes, 8);
	case FORM_UDATA:
		return spoor_bytes_leb(bytes, false);
	case FORM_DATA16:
		spoor_bytes_skip(bytes, 16);
		return 0;
	case FORM_BLOCK:
		spoor_bytes_skip(bytes, spoor_bytes_leb(bytes, false));
		return 0;
	default:	/* a form of unknown length */
		bytes->bad = true;
		return 0;
	}
}

/* Reads the next entry of a table of version 5. Returns its path. */
static const char *entry(const struct spoor_line_table *table, struct spoor_bytes *bytes, const struct spoor_line_format *formats, uint8_t count,
			 uint64_t *directory)
{
	const char *path = "";

	*directory = 0;
	for (uint8_t i = 0; i < count; i++) {
		const char *text = "";
		uint64_t value = value_of(table, bytes, formats[i].form, &text);

		if (formats[i].content == CONTENT_PATH)
			path = text;
		else if (formats[i].content == CONTENT_DIRECTORY)
			*directory = value;
	}
	return path;
}

static const char *directory_at(const struct spoor_line_table *table, uint64_t index)
{
	struct spoor_bytes bytes = table->directories;
	const char *path = "";
	uint64_t unused;

	/* Version 5 counts from 0, which is the unit's own directory. Older versions do not list that
	 * directory. */
	if (table->version < 5 && index == 0)
		return "";
	for (uint64_t i = table->version < 5; i <= index && !bytes.bad; i++) {
		if (table->version >= 5 && i >= table->directory_count)
			return "";
		path = table->version < 5 ? string(&bytes)
					  : entry(table, &bytes, table->directory_formats, table->directory_format_count,
						  &unused);
		if (table->version < 5 && !*path)
			return "";
	}
	return bytes.bad ? "" : path;
}

const struct spoor_source_place *spoor_line_table_file(struct spoor_line_table *table, uint64_t index)
{
	struct spoor_bytes bytes = table->files;
	const char *path = "";
	uint64_t directory = 0;

	if (table->known_file == index + 1)
		return &table->known;
	table->known_file = index + 1;
	table->known = (struct spoor_source_place){ "", "", "", 0 };
	for (uint64_t i = table->version < 5; i <= index && !bytes.bad; i++) {
		if (table->version >= 5) {
			if (i >= table->file_count)
				return &table->known;
			path = entry(table, &bytes, table->file_formats, table->file_format_count, &directory);
			continue;
		}
		path = string(&bytes);
		if (!*path)
			return &table->known;
		directory = spoor_bytes_leb(&bytes, false);
		spoor_bytes_leb(&bytes, false);
		spoor_bytes_leb(&bytes, false);
	}
	if (bytes.bad)
		return &table->known;
	table->known.file = path;
	table->known.directory = directory_at(table, directory);
	table->known.unit_directory = directory_at(table, 0);
	return &table->known;
}

static void read_formats(struct spoor_bytes *bytes, struct spoor_line_format *formats, uint8_t *count)
{
	uint8_t all = (uint8_t)spoor_bytes_number(bytes, 1);

	bytes->bad |= all > SPOOR_LINE_FORMATS_MAX;
	for (*count = 0; *count < all && !bytes->bad; ++*count) {
		formats[*count].content = spoor_bytes_leb(bytes, false);
		formats[*count].form = spoor_bytes_leb(bytes, false);
	}
}

const uint8_t *spoor_line_table_read(struct spoor_line_table *table, struct spoor_bytes *bytes)
{
	uint64_t header_length;
	const uint8_t *program;

	table->version = (uint16_t)spoor_bytes_number(bytes, 2);
	if (table->version < 2 || table->version > 5)
		return NULL;
	if (table->version >= 5) {
		if (spoor_bytes_number(bytes, 1) != 8)	/* the size of an address */
			return NULL;
		spoor_bytes_number(bytes, 1);
	}
	header_length = spoor_bytes_number(bytes, table->wide ? 8 : 4);
	if (bytes->bad || header_length > (uint64_t)(bytes->end - bytes->at))
		return NULL;
	program = bytes->at + header_length;
	bytes->end = program;
	table->least_length = (uint8_t)spoor_bytes_number(bytes, 1);
	if (table->version >= 4)
		spoor_bytes_number(bytes, 1);
	spoor_bytes_number(bytes, 1);
	table->line_base = (int8_t)spoor_bytes_number(bytes, 1);
	table->line_range = (uint8_t)spoor_bytes_number(bytes, 1);
	table->opcode_base = (uint8_t)spoor_bytes_number(bytes, 1);
	table->opcode_lengths = bytes->at;
	if (!table->line_range || !table->opcode_base)
		return NULL;
	spoor_bytes_skip(bytes, table->opcode_base - 1u);
	if (table->version >= 5) {
		uint64_t unused;

		read_formats(bytes, table->directory_formats, &table->directory_format_count);
		table->directory_count = spoor_bytes_leb(bytes, false);
		table->directories = *bytes;
		for (uint64_t i = 0; table->directory_format_count && i < table->directory_count && !bytes->bad; i++)
			entry(table, bytes, table->directory_formats, table->directory_format_count, &unused);
		read_formats(bytes, table->file_formats, &table->file_format_count);
		table->file_count = spoor_bytes_leb(bytes, false);
		table->files = *bytes;
		if (!table->file_format_count)
			table->file_count = 0;
		if (!table->directory_format_count)
			table->directory_count = 0;
	} else {
		table->directories = *bytes;
		while (!bytes->bad && *string(bytes))
			;
		table->files = *bytes;
	}
	return bytes->bad ? NULL : program;
}

