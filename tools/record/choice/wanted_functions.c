/* SPDX-License-Identifier: MIT */
/* wanted_functions.c - finds which patterns match a function of a module's file, as the runtime will (choice.c). */
#include "record/choice/wanted_functions.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_image.h"
#include "format/registration.h"
#include "text/demangled.h"
#include "text/pattern.h"
#include "text/source_name.h"

#define NAMES 4

/* The names of a function: linkage name, its form before link-time optimisation, demangled with and without
 * parameters. */
struct names {
	const char *list[NAMES];
	size_t count;
	const char *shown;	/* without parameters */
	struct spoor_text texts[3];
};

static void make_names(struct names *names, const char *linkage)
{
	const char *source = linkage;
	size_t length = spoor_source_name_length(linkage);

	names->count = 0;
	names->list[names->count++] = names->shown = linkage;
	if (linkage[length] && length < sizeof(names->texts[0].bytes)) {
		memcpy(names->texts[0].bytes, linkage, length);
		names->texts[0].bytes[length] = '\0';
		names->list[names->count++] = names->shown = source = names->texts[0].bytes;
	}
	for (int i = 0; i < 2 && spoor_may_be_mangled(source); i++) {
		const char *demangled = spoor_demangle(source, i == 0, &names->texts[1 + i]);

		if (!demangled)
			break;
		names->texts[1 + i].bytes[spoor_demangled_name_length(demangled)] = '\0';
		names->list[names->count++] = names->shown = demangled;
	}
}

static int compare(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Reads the addresses of the traced functions, sorted. Returns null without memory. */
static uint64_t *read_table(const struct spoor_elf_file *file, size_t *count)
{
	uint64_t bytes = 0, address = 0, *list;
	const char *table = spoor_elf_file_section(file, "spoor_functions", &bytes);
	struct spoor_function function;

	if (!table || !spoor_elf_file_section_address(file, "spoor_functions", &address))
		bytes = 0;
	*count = bytes / sizeof(function);
	list = calloc(*count + 1, sizeof(*list));
	for (size_t i = 0; list && i < *count; i++) {
		memcpy(&function, table + i * sizeof(function), sizeof(function));
		list[i] = address + i * sizeof(function) + (uint64_t)(int64_t)function.address;
	}
	if (list)
		qsort(list, *count, sizeof(*list), compare);
	return list;
}

static bool matches(const struct wanted_function *wanted, const struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (spoor_glob_matches(wanted->begin, wanted->end, names->list[i]))
			return true;
	return false;
}

static void compare_name(struct wanted_function *wanted, const struct names *names, bool is_traced,
			 const char *module)
{
	bool met = matches(wanted, names);

	if (met && is_traced) {
		wanted->is_met = true;
	} else if (met) {
		snprintf(wanted->untraced, sizeof(wanted->untraced), "%s", names->shown);
		snprintf(wanted->untraced_module, sizeof(wanted->untraced_module), "%s", module);
	} else if (is_traced) {
		similar_offer_function(&wanted->similar, names->shown);
	}
}

bool wanted_functions_look_up_library(const struct program_module *module, struct wanted_function *wanted, size_t count)
{
	static struct names names;	/* 12 KiB */
	struct spoor_elf_symbols symbols;
	struct spoor_elf_file file;
	uint64_t address;
	const char *linkage;
	bool has_names = false;

	if (spoor_elf_file_open(&file, module->path) < 0)
		return false;
	if (spoor_elf_symbols_begin(&symbols, &file) == 0) {
		symbols.with_indirect = true;
		while ((linkage = spoor_elf_symbols_next(&symbols, &address))) {
			has_names = true;
			make_names(&names, linkage);
			for (size_t i = 0; i < count; i++)
				if (wanted[i].with_libraries && !wanted[i].is_met)
					compare_name(&wanted[i], &names, true, module->name);
		}
	}
	spoor_elf_file_close(&file);
	return has_names;
}

bool wanted_functions_look_up(const struct program_module *module, struct wanted_function *wanted, size_t count,
			      bool only_wrappers)
{
	static struct names names;	/* 12 KiB */
	struct spoor_elf_symbols symbols;
	struct spoor_elf_file file;
	uint64_t address, *traced;
	const char *linkage;
	size_t traced_count = 0;
	bool has_names = false;

	if (spoor_elf_file_open(&file, module->path) < 0)
		return false;
	traced = module->has_table ? read_table(&file, &traced_count) : NULL;
	if ((traced || !module->has_table) && spoor_elf_symbols_begin(&symbols, &file) == 0) {
		while ((linkage = spoor_elf_symbols_next(&symbols, &address))) {
			bool is_traced = module->is_traced &&
					 (!module->has_table ||
					  bsearch(&address, traced, traced_count, sizeof(*traced), compare));
			bool is_named = false;

			has_names = true;
			if (only_wrappers && !strstr(linkage, SPOOR_WRAPPER_INFIX))
				continue;
			for (size_t i = 0; i < count; i++) {
				if (wanted[i].is_met)
					continue;
				if (!is_named)
					make_names(&names, linkage);
				is_named = true;
				compare_name(&wanted[i], &names, is_traced, module->name);
			}
			if (!is_named)
				break;	/* all are met */
		}
	}
	free(traced);
	spoor_elf_file_close(&file);
	return has_names;
}
