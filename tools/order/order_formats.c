/* SPDX-License-Identifier: MIT */
/*
 * order_formats.c - writes the order for linkers: ld.lld --symbol-ordering-file, gold's
 * --section-ordering-file, ld64's -order_file, and a fragment of a linker script for GNU ld.
 *
 * Link-time optimisation renames functions that are local to a unit to "name.llvm.123". Both names are
 * written, because the next build may rename other functions.
 */
#include "order/order.h"

#include <string.h>

#include "text/source_name.h"

size_t order_name_length(const char *linkage)
{
	static const char unique[] = ".__uniq.";
	size_t length = spoor_source_name_length(linkage);

	if (strncmp(linkage + length, unique, strlen(unique)) == 0)
		length += strlen(unique) + strspn(linkage + length + strlen(unique), "0123456789");
	return length;
}

typedef void write_name(struct output *out, const char *name, size_t length);

static void for_each_name(struct output *out, const struct order *order, uint32_t begin, uint32_t end,
write_name *write)
{
	for (uint32_t i = begin; i < end && !output_failed(out); i++) {
		const char *name = order->names.list[order->list[i].name].function;
		size_t length = strlen(name), source = order_name_length(name);

		write(out, name, length);
		if (source && source != length)
			write(out, name, source);
	}
}

static void write_symbol(struct output *out, const char *name, size_t length)
{
	output_put(out, name, length);
	output_char(out, '\n');
}

static void write_lld(struct output *out, const struct order *order, uint32_t begin, uint32_t end)
{
	for_each_name(out, order, begin, end, write_symbol);
}

/* Symbols of Mach-O have an additional underscore. */
static void write_underscored(struct output *out, const char *name, size_t length)
{
	output_char(out, '_');
	write_symbol(out, name, length);
}

static void write_ld64(struct output *out, const struct order *order, uint32_t begin, uint32_t end)
{
	for_each_name(out, order, begin, end, write_underscored);
}

/* Sections of functions: the usual one, and those for hot and cold code. */
static const char *const sections[] = { ".text.", ".text.hot.", ".text.unlikely.", ".text.startup.", ".text.exit." };
#define SECTION_COUNT (sizeof(sections) / sizeof(*sections))

static void write_section(struct output *out, const char *name, size_t length)
{
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		output_string(out, sections[i]);
		write_symbol(out, name, length);
	}
}

static void write_gold(struct output *out, const struct order *order, uint32_t begin, uint32_t end)
{
	for_each_name(out, order, begin, end, write_section);
}

static void write_input(struct output *out, const char *name, size_t length)
{
	output_string(out, "*(");
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		output_string(out, i ? " " : "");
		output_string(out, sections[i]);
		output_put(out, name, length);
	}
	output_string(out, ")\n");
}

static void write_bfd(struct output *out, const struct order *order, uint32_t begin, uint32_t end)
{
	output_string(out, "/* Include this in the script's .text, before its other inputs. */\n");
	for_each_name(out, order, begin, end, write_input);
}

const struct order_format order_formats[] = {
	{ "lld", write_lld },
	{ "gold", write_gold },
	{ "ld64", write_ld64 },
	{ "bfd", write_bfd },
};
const size_t order_format_count = sizeof(order_formats) / sizeof(*order_formats);
