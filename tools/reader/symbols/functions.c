/* SPDX-License-Identifier: MIT */
/* functions.c - numbers the functions of one process that occur in its trace. */
#include "reader/symbols/functions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "reader/symbols/symbol_file.h"
#include "reader/symbols/symbol_short_names.h"
#include "reader/symbols/unit_symbols.h"

#define UNKNOWN_MODULE UINT32_MAX

int functions_begin(struct functions *functions, const struct process *process)
{
	*functions = (struct functions){ .process = process };
	/* Half a megabyte of addresses. The kernel gives memory only for the pages that are used. */
	functions->pages = calloc(FUNCTION_PAGES, sizeof(struct function_page *));
	return functions->pages ? 0 : -ENOMEM;
}

void functions_end(struct functions *functions)
{
	while (functions->used) {
		struct function_page *page = functions->used;

		functions->used = page->next;
		free(page);
	}
	for (uint32_t i = 1; i <= functions->count; i++)
		free(functions->list[i].name);
	free(functions->pages);
	free(functions->list);
	map64_free(&functions->others);
	map64_free(&functions->by_id);
	map64_free(&functions->by_scope);
	map64_free(&functions->by_tracepoint);
	*functions = (struct functions){ 0 };
}

void functions_describe(struct functions *functions, const struct unit_symbols *symbols, bool demangle)
{
	functions->described = symbols;
	functions->demangle = demangle;
}

/* Returns the number of the function, or 0 if memory runs out. */
static uint32_t functions_add(struct functions *functions, struct symbol_file *symbols, uint64_t id)
{
	if (functions->count + 1 >= functions->capacity) {
		uint32_t capacity = functions->capacity ? 2 * functions->capacity : 256;
		struct function *list = reallocarray(functions->list, capacity, sizeof(*list));

		if (!list)
			return 0;
		functions->list = list;
		functions->capacity = capacity;
	}
	functions->list[++functions->count] = (struct function){ .symbols = symbols, .id = id };
	return functions->count;
}

/*
 * Returns whether several modules had @index. @found: the one that had it at @counter. A module that
 * was closed and loaded again at its old base counts once.
 */
static bool find_module(const struct process *process, uint32_t index, uint64_t counter, uint32_t *found)
{
	const struct module *owner = NULL;
	bool several = false;

	for (size_t i = 0; i < process->module_count; i++) {
		const struct module *module = &process->modules[i];

		if (index < module->base || index - module->base >= module->count)
			continue;
		/* The counters of two CPUs may differ a little, so the first owner also counts for the time
		 * before it. */
		several |= owner && (owner->symbols != module->symbols || owner->base != module->base);
		if (!owner || module->counter <= counter)
			owner = module;
	}
	*found = owner ? (uint32_t)(owner - process->modules) : UNKNOWN_MODULE;
	return several;
}

static uint32_t add_indexed(struct functions *functions, uint32_t index, uint32_t module)
{
	const struct module *found = module == UNKNOWN_MODULE ? NULL : &functions->process->modules[module];
	uint32_t number = found ? functions_add(functions, found->symbols, index - found->base) :
				  functions_add(functions, NULL, index);

	if (number) {
		functions->list[number].index = index;
		functions->list[number].module = module;
		functions->list[number].has_index = true;
	}
	return number;
}

/* Returns the function of a module. @ambiguous: several modules had that index. */
static uint32_t find_in_module(struct functions *functions, uint32_t index, uint32_t module, bool ambiguous)
{
	struct function_page **page = &functions->pages[index >> FUNCTION_PAGE_BITS];
	uint32_t *number;

	if (!*page) {
		*page = calloc(1, sizeof(**page));
		if (!*page)
			return 0;
		(*page)->next = functions->used;
		functions->used = *page;
	}
	number = &(*page)->numbers[index & ((1u << FUNCTION_PAGE_BITS) - 1)];
	if (ambiguous) {
		*number = FUNCTION_AMBIGUOUS;
		number = map64_at(&functions->others, (uint64_t)module << 32 | index);
		if (!number)
			return 0;
	}
	if (!*number)
		*number = add_indexed(functions, index, module);
	return *number;
}

uint32_t functions_find(struct functions *functions, uint32_t index, uint64_t counter)
{
	uint32_t module;
	bool ambiguous = find_module(functions->process, index, counter, &module);

	return find_in_module(functions, index, module, ambiguous);
}

bool functions_is_alone(const struct functions *functions, uint32_t index)
{
	const struct function_page *page = functions->pages[index >> FUNCTION_PAGE_BITS];
	uint32_t module, number = page ? page->numbers[index & ((1u << FUNCTION_PAGE_BITS) - 1)] : 0;

	return number ? number != FUNCTION_AMBIGUOUS : !find_module(functions->process, index, 0, &module);
}

uint32_t functions_adopt(struct functions *functions, const struct functions *other, uint32_t number)
{
	const struct function *function = &other->list[number];

	if (function->is_scope)
		return functions_number_of_scope(functions, function->id);
	if (function->is_tracepoint)
		return functions_number_of_tracepoint(functions, function->index);
	if (!function->has_index)
		return functions_number_of_id(functions, function->id);
	return find_in_module(functions, function->index, function->module, !functions_known(other, function->index));
}

void functions_module_came(struct functions *functions, const struct module *module)
{
	uint32_t end = module->base + module->count;

	for (uint32_t index = module->base; index < end;) {
		uint32_t at = index & ((1u << FUNCTION_PAGE_BITS) - 1), left = (1u << FUNCTION_PAGE_BITS) - at;
		struct function_page *page = functions->pages[index >> FUNCTION_PAGE_BITS];

		for (uint32_t i = 0; page && i < left && i < end - index; i++) {
			uint32_t *number = &page->numbers[at + i];

			if (*number && *number != FUNCTION_AMBIGUOUS && functions->list[*number].symbols != module->symbols)
				*number = 0;
		}
		index += left < end - index ? left : end - index;
	}
}

uint32_t functions_number_of_id(struct functions *functions, uint64_t function_id)
{
	const struct process *process = functions->process;
	uint32_t *number = map64_at(&functions->by_id, function_id);

	if (!number)
		return 0;
	for (size_t i = 0; i < process->module_count && !*number; i++) {
		const struct module *module = &process->modules[i];

		/* If events from its sleds were read, the function has a number already. */
		if (module->module_id == function_id >> 32 && (uint32_t)function_id < module->count)
			*number = functions_number(functions, module->base + (uint32_t)function_id, module->counter);
	}
	/* Code that the pass injected contains the ID of a unit. Find the module with that unit. */
	for (size_t i = 0; i < process->module_count && !*number; i++) {
		const struct module *module = &process->modules[i];
		uint32_t local;

		if (module->symbols && symbol_file_find(module->symbols, function_id, &local))
			*number = functions_number(functions, module->base + local, module->counter);
	}
	if (!*number)
		*number = functions_add(functions, NULL, function_id);
	if (*number && functions->described && !functions->list[*number].symbols)
		functions->list[*number].described = unit_symbols_find(functions->described, function_id);
	return *number;
}

uint32_t functions_number_of_scope(struct functions *functions, uint64_t string)
{
	uint32_t *number = map64_at(&functions->by_scope, string);

	if (number && !*number) {
		const char *name = process_string(functions->process, string);

		*number = functions_add(functions, NULL, string);
		if (*number) {
			functions->list[*number].is_scope = true;
			functions->list[*number].name = name ? strdup(name) : NULL;
		}
	}
	return number ? *number : 0;
}

uint32_t functions_number_of_tracepoint(struct functions *functions, uint32_t tracepoint)
{
	uint32_t *number = map64_at(&functions->by_tracepoint, tracepoint);

	if (number && !*number) {
		const struct tracepoint *found = process_tracepoint(functions->process, tracepoint);

		bool has_name = found && *found->name;
		char *name;

		if ((has_name ? asprintf(&name, "%s", found->name) : asprintf(&name, "tracepoint#%" PRIu32, tracepoint)) < 0)
			return 0;
		*number = functions_add(functions, NULL, XXH3_64bits(name, strlen(name)));
		if (*number)
			functions->list[*number] = (struct function){
				.id = functions->list[*number].id, .index = tracepoint, .name = name, .is_tracepoint = true,
			};
		else
			free(name);
	}
	return number ? *number : 0;
}

const char *function_name(struct functions *functions, uint32_t number)
{
	struct function *function = &functions->list[number];

	if (function->symbols)
		return symbol_file_name(function->symbols, (uint32_t)function->id);
	if (function->described)
		return functions->demangle ? unit_symbol_name(function->described->info) :
					     unit_symbol_text(function->described->info->linkage_name);
	if (!function->name) {
		int made = function->id >> SPOOR_INDEX_BITS ?
				   asprintf(&function->name, "unknown#%08" PRIx64 ":%" PRIu64, function->id >> 32,
					    function->id & UINT32_MAX) :
				   asprintf(&function->name, "unknown#%" PRIu64, function->id);
		if (made < 0)
			function->name = NULL;
	}
	return function->name ? function->name : "?";
}

const char *function_short_name(struct functions *functions, uint32_t number)
{
	struct function *function = &functions->list[number];

	if (function->symbols)
		return symbol_file_short_name(function->symbols, (uint32_t)function->id);
	return function_name(functions, number);
}

bool function_has_name(const struct functions *functions, uint32_t number)
{
	const struct function *function = &functions->list[number];

	return function->described || (function->symbols && symbol_file_linkage(function->symbols, (uint32_t)function->id));
}

const char *function_library(const struct functions *functions, uint32_t number)
{
	const struct function *function = &functions->list[number];

	if (function->symbols)
		return function->symbols->library;
	if (function->described && *unit_symbol_text(function->described->info->module_id))
		return function->described->info->module_id;
	return function->is_scope ? "[scope]" : function->is_tracepoint ? "[tracepoint]" : "?";
}

struct symbol_place function_place(const struct functions *functions, uint32_t number)
{
	const struct function *function = &functions->list[number];

	return function->symbols ? symbol_file_place(function->symbols, (uint32_t)function->id) :
				   described_place(function->described);
}

uint64_t function_id(const struct functions *functions, uint32_t number)
{
	const struct function *function = &functions->list[number];

	return function->symbols ? (uint64_t)function->symbols->module_id << 32 | function->id : function->id;
}
