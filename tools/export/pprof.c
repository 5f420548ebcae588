/* SPDX-License-Identifier: MIT */
/*
 * pprof.c - writes the profile that pprof reads (google/pprof, proto/profile.proto). pprof also accepts
 * it uncompressed.
 *
 * A sample is a call path with two values: its number of calls, and its self time.
 */
#include "export/export.h"

#include <errno.h>
#include <stdlib.h>

#include "walk/stacks/stacks.h"

/* Fields of Profile and of its messages. */
enum { SAMPLE_TYPE = 1, SAMPLE = 2, MAPPING = 3, LOCATION = 4, FUNCTION = 5, STRING_TABLE = 6, DEFAULT_SAMPLE_TYPE = 14 };
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2 };
enum { MAPPING_ID = 1, MAPPING_FILENAME = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum { LOCATION_ID = 1, LOCATION_MAPPING_ID = 2, LOCATION_LINE = 4 };
enum { LINE_FUNCTION_ID = 1, LINE_LINE = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILENAME = 4, FUNCTION_START_LINE = 5 };

/* Strings in the table before all names. */
enum { STRING_NONE, STRING_CALLS, STRING_COUNT, STRING_TIME, STRING_NANOSECONDS, STRING_FIRST };
static const char *const strings[] = { "", "calls", "count", "time", "nanoseconds" };

static size_t varint_bytes(uint64_t value)
{
	size_t bytes = 1;

	for (; value >= 0x80; value >>= 7)
		bytes++;
	return bytes;
}

/* Field numbers are below 16, so a key is one byte. */
static void put_number(struct output *out, uint32_t field, uint64_t value)
{
	output_varint(out, field << 3);
	output_varint(out, value);
}

static size_t number_bytes(uint64_t value)
{
	return 1 + varint_bytes(value);
}

static void begin_message(struct output *out, uint32_t field, size_t bytes)
{
	output_varint(out, field << 3 | 2);
	output_varint(out, bytes);
}

static void put_text(struct output *out, const char *text)
{
	size_t bytes = strlen(text);

	begin_message(out, STRING_TABLE, bytes);
	output_put(out, text, bytes);
}

static void put_type(struct output *out, uint64_t type, uint64_t unit)
{
	begin_message(out, SAMPLE_TYPE, 4);
	put_number(out, TYPE_TYPE, type);
	put_number(out, TYPE_UNIT, unit);
}

/* Writes a library as a mapping. */
static void put_library(struct output *out, uint32_t library, uint64_t text)
{
	begin_message(out, MAPPING, number_bytes(library) + number_bytes(text) + 2);
	put_number(out, MAPPING_ID, library);
	put_number(out, MAPPING_FILENAME, text);
	put_number(out, MAPPING_HAS_FUNCTIONS, 1);
}

/* Writes a function and one location, at its first line. @file: number of the file's name; STRING_NONE: unknown */
static void put_function(struct output *out, uint32_t name, uint32_t library, uint64_t file, uint32_t begin)
{
	uint64_t text = STRING_FIRST + name - 1;
	size_t line = number_bytes(name) + (file ? number_bytes(begin) : 0);

	begin_message(out, FUNCTION, number_bytes(text) + line + (file ? number_bytes(file) : 0));
	put_number(out, FUNCTION_ID, name);
	put_number(out, FUNCTION_NAME, text);
	if (file) {
		put_number(out, FUNCTION_FILENAME, file);
		put_number(out, FUNCTION_START_LINE, begin);
	}
	begin_message(out, LOCATION, number_bytes(name) + number_bytes(library) + 1 + varint_bytes(line) + line);
	put_number(out, LOCATION_ID, name);
	put_number(out, LOCATION_MAPPING_ID, library);
	begin_message(out, LOCATION_LINE, line);
	put_number(out, LINE_FUNCTION_ID, name);
	if (file)
		put_number(out, LINE_LINE, begin);
}

/* Writes a sample. The innermost function comes first. */
static void put_sample(struct output *out, const struct stacks *stacks, uint32_t node)
{
	const struct stack_node *nodes = stacks->nodes;
	size_t locations = 0, values = varint_bytes(nodes[node].calls) + varint_bytes(nodes[node].self_ns);

	for (uint32_t at = node; at; at = nodes[at].parent)
		locations += varint_bytes(nodes[at].name);
	begin_message(out, SAMPLE, 1 + varint_bytes(locations) + locations + 1 + varint_bytes(values) + values);
	begin_message(out, SAMPLE_LOCATION_ID, locations);
	for (uint32_t at = node; at; at = nodes[at].parent)
		output_varint(out, nodes[at].name);
	begin_message(out, SAMPLE_VALUE, values);
	output_varint(out, nodes[node].calls);
	output_varint(out, nodes[node].self_ns);
}

int export_pprof(struct export *export, const struct stacks *stacks)
{
	/* Libraries, and files as a second name. Text N of it is string STRING_FIRST + functions + N - 1. */
	struct name_table others = { 0 };
	struct output *out = &export->out;
	uint32_t functions = stacks->names.count ? stacks->names.count - 1 : 0;

	put_type(out, STRING_CALLS, STRING_COUNT);
	put_type(out, STRING_TIME, STRING_NANOSECONDS);
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		put_text(out, strings[i]);
	for (uint32_t i = 1; i <= functions; i++)
		put_text(out, stacks->names.list[i].function);
	for (uint32_t i = 1; i <= functions; i++) {
		struct symbol_place place = stacks_place(stacks, i);
		uint32_t before = others.count, library = name_table_add(&others, stacks->names.list[i].library, ""), file = 0;

		if (library && others.count != before) {
			put_text(out, stacks->names.list[i].library);
			put_library(out, library, STRING_FIRST + functions + library - 1);
		}
		before = others.count;
		if (library && place.path)
			file = name_table_add(&others, "", place.path);
		if (!library || (place.path && !file)) {
			name_table_free(&others);
			return -ENOMEM;
		}
		if (others.count != before)
			put_text(out, place.path);
		put_function(out, i, library, file ? STRING_FIRST + functions + file - 1 : STRING_NONE, place.line);
	}
	name_table_free(&others);
	for (uint32_t i = 1; i < stacks->count && !output_failed(out); i++)
		if (stacks->nodes[i].calls || stacks->nodes[i].self_ns)
			put_sample(out, stacks, i);
	put_number(out, DEFAULT_SAMPLE_TYPE, STRING_TIME);
	return 0;
}
