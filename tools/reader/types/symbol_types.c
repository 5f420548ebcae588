/* SPDX-License-Identifier: MIT */
/* symbol_types.c - finds the types of a module's functions. */
#include "reader/types/symbol_types.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "reader/symbols/debug_files.h"
#include "reader/types/dwarf_types.h"

struct symbol_types {
	struct dwarf_types *dwarf;	/* null: there is no debug information */
	const struct function_types **functions;	/* by local function ID */
	bool *is_read;
};

/* In the same order as source lines: the packed file may lack what the original has. */
static struct dwarf_types *open_types(struct symbol_file *file)
{
	struct dwarf_types *types = dwarf_types_open(file, file->source);
	const char *debug;

	if (!types && file->build_id_bytes && strcmp(file->path, file->source) != 0)
		types = dwarf_types_open(file, file->path);
	if (types)
		return types;
	debug = debug_files_find(file, true);
	return debug ? dwarf_types_open(file, debug) : NULL;
}

static struct symbol_types *begin(struct symbol_file *file)
{
	struct symbol_types *types = calloc(1, sizeof(*types));

	if (!types)
		return NULL;
	types->functions = calloc(file->count, sizeof(*types->functions));
	types->is_read = calloc(file->count, sizeof(*types->is_read));
	if (types->functions && types->is_read)
		types->dwarf = open_types(file);
	return types;
}

const struct function_types *symbol_file_types(struct symbol_file *file, uint32_t local)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const struct function_types *found = NULL;
	struct symbol_types *types;

	if (!symbol_file_check(file) || local >= file->count || file->hooked)
		return NULL;
	pthread_mutex_lock(&lock);
	if (!file->types)
		file->types = begin(file);
	types = file->types;
	if (types && types->dwarf) {
		if (!types->is_read[local])
			types->functions[local] = dwarf_types_function(types->dwarf, file->virtual[local], file->linkage[local]);
		types->is_read[local] = true;
		found = types->functions[local];
	}
	pthread_mutex_unlock(&lock);
	return found;
}

void symbol_types_free(struct symbol_file *file)
{
	if (!file->types)
		return;
	dwarf_types_close(file->types->dwarf);
	free(file->types->functions);
	free(file->types->is_read);
	free(file->types);
	file->types = NULL;
}
