/* SPDX-License-Identifier: MIT */
/* symbol_short_names.c - gives the functions of a module short names that differ. */
#include "reader/symbols/symbol_short_names.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "reader/files/printable_text.h"
#include "reader/names/short_name.h"
#include "reader/symbols/symbol_places.h"
#include "reader/packed/symbol_subset.h"
#include "reader/symbols/unit_symbols.h"
#include "text/source_name.h"

/* How much of its name a function needs. */
enum name_level { LEVEL_SHORT, LEVEL_PARAMETERS, LEVEL_WHOLE, LEVEL_PLACE, LEVEL_NUMBER };

struct symbol_short_names {
	uint8_t *levels;	/* by local function ID */
	char **names;		/* made when first needed */
};

static bool is_off;

void symbol_short_names_turn_off(void)
{
	is_off = true;
}

static char *copy_source_name(const char *linkage)
{
	return strndup(linkage, spoor_source_name_length(linkage));
}

/* The mangled names of C++ tell the kinds of constructors and destructors apart, and the demangled names do not. */
static const char *constructor_kind(const char *linkage)
{
	static const struct { const char *code, *kind; } kinds[] = {
		{ "C1E", " [complete]" }, { "C2E", " [base]" }, { "D0E", " [deleting]" }, { "D1E", " [complete]" }, { "D2E", " [base]" },
	};

	for (size_t i = 0; strncmp(linkage, "_Z", 2) == 0 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strstr(linkage, kinds[i].code))
			return kinds[i].kind;
	return "";
}

static char *add_place(struct symbol_file *file, uint32_t local, enum name_level level)
{
	const struct unit_symbol *described = symbol_file_described(file, local);
	const char *path = described ? unit_symbol_text(described->info->file_name) : "", *slash = strrchr(path, '/');
	const char *name = symbol_file_name(file, local), *kind = constructor_kind(file->linkage[local]);
	char *text;
	int made;

	if (level == LEVEL_NUMBER)
		made = asprintf(&text, "%s%s [#%" PRIu32 "]", name, kind, local);
	else if (*path)
		made = asprintf(&text, "%s%s [%s:%d]", name, kind, slash ? slash + 1 : path, (int)described->info->line);
	else
		made = asprintf(&text, "%s%s", name, kind);
	return made < 0 ? NULL : text;
}

/* Returns the name of a function at this level, which the caller frees; null without memory. */
static char *make_name(struct symbol_file *file, uint32_t local, enum name_level level)
{
	const char *linkage = symbol_file_linkage(file, local);
	char *source, *name;

	if (level >= LEVEL_PLACE)
		return add_place(file, local, level);
	if (level == LEVEL_WHOLE)
		return strdup(symbol_file_name(file, local));
	source = copy_source_name(linkage);
	name = source ? short_name(source, level == LEVEL_PARAMETERS) : NULL;
	free(source);
	return name;
}

/* Raises the level of each function at @level whose name another function has too. Returns whether any was raised. */
static bool raise(struct symbol_file *file, uint8_t *levels, enum name_level level, uint64_t *hashes)
{
	struct map64 owners = { 0 };
	bool raised = false;

	for (uint32_t i = 0; i < file->count; i++) {
		char *name = file->linkage[i] && levels[i] == level ? make_name(file, i, level) : NULL;
		uint32_t *owner;

		if (!name)
			continue;
		hashes[i] = XXH3_64bits(name, strlen(name));
		free(name);
		owner = map64_at(&owners, hashes[i]);
		if (owner)
			*owner = *owner ? UINT32_MAX : 1;
	}
	for (uint32_t i = 0; i < file->count; i++)
		if (file->linkage[i] && levels[i] == level && map64_find(&owners, hashes[i]) == UINT32_MAX) {
			levels[i] = level + 1;
			raised = true;
		}
	map64_free(&owners);
	return raised;
}

static void find_levels(struct symbol_file *file)
{
	struct symbol_short_names *short_names = calloc(1, sizeof(*short_names));
	uint64_t *hashes = malloc((file->count + 1) * sizeof(*hashes));

	if (short_names) {
		short_names->levels = calloc(file->count + 1, sizeof(*short_names->levels));
		short_names->names = calloc(file->count + 1, sizeof(*short_names->names));
	}
	file->short_names = short_names;
	if (short_names && short_names->levels && short_names->names && hashes)
		for (enum name_level level = LEVEL_SHORT; level < LEVEL_NUMBER; level++)
			if (!raise(file, short_names->levels, level, hashes) && level >= LEVEL_PARAMETERS)
				break;
	free(hashes);
}

const char *symbol_file_short_name(struct symbol_file *file, uint32_t local)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const char *whole = symbol_file_name(file, local), *name = NULL;
	struct symbol_short_names *short_names;

	file = symbol_subset_holder(file, local);

	if (is_off || !file->demangle || !symbol_file_linkage(file, local))
		return whole;
	pthread_mutex_lock(&lock);
	if (!file->short_names)
		find_levels(file);
	short_names = file->short_names;
	if (short_names && short_names->levels && short_names->names) {
		if (!short_names->names[local])
			short_names->names[local] = clean_name(make_name(file, local, short_names->levels[local]));
		name = short_names->names[local];
	}
	pthread_mutex_unlock(&lock);
	return name ? name : whole;
}

void symbol_short_names_free(struct symbol_file *file)
{
	struct symbol_short_names *short_names = file->short_names;

	if (!short_names)
		return;
	for (uint32_t i = 0; short_names->names && i < file->count; i++)
		free(short_names->names[i]);
	free(short_names->names);
	free(short_names->levels);
	free(short_names);
	file->short_names = NULL;
}
