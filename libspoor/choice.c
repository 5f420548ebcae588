/* SPDX-License-Identifier: MIT */
/* choice.c - names of modules and functions against pattern lists. */
#include "choice.h"

#include <errno.h>
#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "message.h"
#include "pattern.h"
#include "runtime.h"
#include "sled_index.h"

/* What the configuration's patterns matched so far, a bit each. */
static uint64_t modules_matched, functions_matched;
static bool functions_searched;

bool spoor_choice_module(const struct spoor_instance *instance, const char *modules)
{
	const char *file = strrchr(instance->path, '/'), *rest = modules, *glob, *end;
	bool chosen, excludes;

	file = file ? file + 1 : instance->path;
	if (spoor_patterns_are_all(modules))
		return true;
	chosen = *modules == '-';
	for (uint64_t bit = 1; spoor_patterns_next(&rest, &glob, &end, &excludes); bit <<= 1) {
		bool matches = memchr(glob, '/', (size_t)(end - glob))
			       ? spoor_glob_matches(glob, end, instance->path)
			       : spoor_glob_matches(glob, end, instance->soname) ||
				 spoor_glob_matches(glob, end, file);

		if (!matches)
			continue;
		chosen = !excludes;
		if (strcmp(modules, spoor_configuration.modules) == 0)
			modules_matched |= bit;
	}
	return chosen;
}

struct function_address {
	uint64_t address;	/* as in the file */
	uint32_t local;
};

struct search {
	const struct function_address *sorted;
	uint32_t count;
	const char *patterns;
	uint64_t *chosen;	/* bits by local ID */
	bool configured;	/* the patterns are the configuration's */
};

static int compare(const void *a, const void *b)
{
	uint64_t x = ((const struct function_address *)a)->address;
	uint64_t y = ((const struct function_address *)b)->address;

	return (x > y) - (x < y);
}

/* A demangled name as the demangler hands it over, in pieces. */
struct text {
	char bytes[4096];
	size_t used;
};

static void text_add(const char *piece, size_t bytes, void *opaque)
{
	struct text *text = opaque;

	if (bytes >= sizeof(text->bytes) - text->used)
		bytes = sizeof(text->bytes) - 1 - text->used;
	memcpy(text->bytes + text->used, piece, bytes);
	text->used += bytes;
	text->bytes[text->used] = '\0';
}

/* The callback forms: they need no malloc, which is the program's. */
static const char *demangle(const char *name, int options, struct text *text)
{
	text->used = 0;
	if (name[0] != '_')
		return NULL;
	if (rust_demangle_callback(name, options, text_add, text) && text->used)
		return text->bytes;
	text->used = 0;
	if (name[1] == 'Z' && cplus_demangle_v3_callback(name, options, text_add, text) && text->used)
		return text->bytes;
	return NULL;
}

static void each_symbol(void *context, uint64_t address, const char *name)
{
	struct search *search = context;
	struct function_address key = { .address = address };
	const struct function_address *found;
	struct text with, without;
	const char *names[3] = { name };
	uint64_t matched = functions_matched;
	bool chosen;

	names[1] = demangle(name, DMGL_PARAMS | DMGL_ANSI, &with);
	names[2] = names[1] ? demangle(name, DMGL_ANSI, &without) : NULL;
	if (search->configured)
		matched = spoor_patterns_matched(search->patterns, names, 3, functions_matched);
	chosen = spoor_patterns_choose(search->patterns, names, 3);
	/* The name first: few match, and symbols come in no order. */
	if (!chosen && matched == functions_matched)
		return;
	found = bsearch(&key, search->sorted, search->count, sizeof(key), compare);
	if (!found)
		return;
	functions_matched = matched;
	if (chosen)
		search->chosen[found->local / 64] |= 1ull << (found->local % 64);
}

static int names_search(struct spoor_instance *instance, struct search *search)
{
	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	struct spoor_elf_file file;
	uint32_t bytes;
	int error;

	error = spoor_elf_file_open(&file, instance->path);
	if (error < 0)
		return -ENOENT;
	bytes = spoor_elf_file_build_id(&file, build_id);
	if (bytes != instance->build_id_bytes || memcmp(build_id, instance->build_id, bytes) != 0)
		error = -ENOENT;
	else
		error = spoor_elf_file_symbols(&file, each_symbol, search);
	spoor_elf_file_close(&file);
	return error;
}

/* Looks every name of the module's file up. Return: 0 or a negative errno. */
static int look_up(struct spoor_instance *instance, const char *functions, uint64_t *chosen)
{
	size_t sorted_bytes = (size_t)instance->count * sizeof(struct function_address) + 1;
	struct function_address *sorted = spoor_memory_map(sorted_bytes);
	struct search search = {
		.sorted = sorted,
		.count = instance->count,
		.patterns = functions,
		.chosen = chosen,
		.configured = strcmp(functions, spoor_configuration.functions) == 0,
	};
	bool in_order = true;
	int error;

	if (!sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < instance->count; i++) {
		sorted[i] = (struct function_address){
			spoor_function_address(instance->dso, i) - instance->load_bias, i };
		in_order &= i == 0 || sorted[i - 1].address <= sorted[i].address;
	}
	if (!in_order)
		qsort(sorted, instance->count, sizeof(*sorted), compare);
	error = names_search(instance, &search);
	functions_searched |= error == 0 && search.configured;
	spoor_memory_unmap(sorted, sorted_bytes);
	return error;
}

void spoor_choice_forget(struct spoor_instance *instance)
{
	spoor_memory_unmap(instance->chosen, instance->chosen_bytes);
	instance->chosen = NULL;
	instance->chosen_by = NULL;
}

/* Sees to it that instance->chosen is what @functions choose: a program that
 * switches the same functions on and off pays for their names once. */
static int choose(struct spoor_instance *instance, const char *functions)
{
	size_t bits_bytes = (size_t)(instance->count + 63) / 64 * 8;
	size_t bytes = bits_bytes + strlen(functions) + 1;
	uint64_t *chosen;
	int error;

	if (instance->chosen && strcmp(instance->chosen_by, functions) == 0)
		return 0;
	chosen = spoor_memory_map(bytes);
	if (!chosen)
		return -ENOMEM;
	error = look_up(instance, functions, chosen);
	if (error < 0) {
		spoor_memory_unmap(chosen, bytes);
		return error;
	}
	spoor_choice_forget(instance);
	instance->chosen = chosen;
	instance->chosen_by = strcpy((char *)chosen + bits_bytes, functions);
	instance->chosen_bytes = bytes;
	return 0;
}

long spoor_choice_functions(struct spoor_instance *instance, const char *functions, uint64_t *bits, bool on)
{
	uint32_t words = (instance->count + 63) / 64;
	long result = 0;
	int error;

	if (spoor_patterns_are_all(functions)) {
		memset(bits, on ? 0xff : 0, (size_t)words * 8);
		if (on && instance->count % 64)
			bits[words - 1] = (1ull << (instance->count % 64)) - 1;
		return instance->count;
	}
	error = choose(instance, functions);
	for (uint32_t i = 0; i < words && error == 0; i++) {
		result += __builtin_popcountll(instance->chosen[i]);
		bits[i] = on ? bits[i] | instance->chosen[i] : bits[i] & ~instance->chosen[i];
	}
	return error < 0 ? error : result;
}

/* Names those without a bit in @matched. */
static void say_unmatched(const char *key, const char *patterns, uint64_t matched, const char *what)
{
	const char *rest = patterns, *glob, *end;
	char list[400] = "";
	size_t used = 0;
	bool excludes;

	for (uint64_t bit = 1; bit && spoor_patterns_next(&rest, &glob, &end, &excludes); bit <<= 1) {
		int length = (int)(end - glob);

		if (!(matched & bit) && used + (size_t)length + 4 < sizeof(list))
			used += (size_t)sprintf(list + used, "%s'%.*s'", used ? ", " : "", length, glob);
	}
	if (used)
		spoor_message("SPOOR_RUNTIME_%s: no %s matches %s", key, what, list);
}

void spoor_choice_unmatched(void)
{
	const char *modules = spoor_configuration.modules, *functions = spoor_configuration.functions;

	if (!spoor_patterns_are_all(modules))
		say_unmatched("MODULES", modules, modules_matched, "library with sleds");
	if (functions_searched)
		say_unmatched("FUNCTIONS", functions, functions_matched, "traced function");
}
