/* SPDX-License-Identifier: MIT */
/* symbol_places.c - where a module's functions were written. */
#include "symbol_places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean.h"
#include "source_lines.h"
#include "symbol_functions.h"
#include "unit_symbols.h"

/* What the line tables say. */
struct symbol_places {
	struct table_place {
		uint32_t path;		/* in paths, from 1; 0: nothing is known */
		uint32_t line;
	} *places;			/* by local function ID */
	char **paths;
	uint32_t path_count, path_capacity;
};

struct reading {
	const struct symbol_file *file;
	struct symbol_places *places;
	struct spoor_source_place latest;	/* whose path is the last one */
};

/* The first function that does not begin before @address. */
static uint32_t first_from(const struct symbol_file *file, uint64_t address)
{
	uint32_t low = 0, high = file->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (file->addresses[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool wants(void *context, uint64_t begin, uint64_t end)
{
	const struct symbol_file *file = ((struct reading *)context)->file;
	uint32_t i = first_from(file, begin);

	return i < file->count && file->addresses[i].address < end;
}

/* Return: its number, or 0 where it is too long, or there is no memory. */
static uint32_t add_path(struct reading *reading, const struct spoor_source_place *place)
{
	const struct spoor_source_place *latest = &reading->latest;
	struct symbol_places *places = reading->places;
	char path[8192];

	/* They point into the file: most come in a row. */
	if (places->path_count && latest->file == place->file && latest->directory == place->directory &&
	    latest->unit_directory == place->unit_directory)
		return places->path_count;
	if (spoor_source_path(place, path, sizeof(path)) < 0)
		return 0;
	if (places->path_count == places->path_capacity) {
		uint32_t capacity = places->path_capacity ? 2 * places->path_capacity : 64;
		char **paths = reallocarray(places->paths, capacity, sizeof(char *));

		if (!paths)
			return 0;
		places->paths = paths;
		places->path_capacity = capacity;
	}
	places->paths[places->path_count] = strdup(path);
	if (!places->paths[places->path_count])
		return 0;
	reading->latest = *place;
	return ++places->path_count;
}

static void take_line(void *context, uint64_t begin, uint64_t end, const struct spoor_source_place *place)
{
	struct reading *reading = context;
	const struct symbol_file *file = reading->file;

	for (uint32_t i = first_from(file, begin); i < file->count && file->addresses[i].address < end; i++) {
		struct table_place *known = &reading->places->places[file->addresses[i].local];

		if (known->path)
			continue;
		known->path = add_path(reading, place);
		known->line = place->line <= UINT32_MAX ? (uint32_t)place->line : 0;
	}
}

/* Return: whether that file is of this build and has line tables. */
static bool read_lines(struct reading *reading, const char *path)
{
	const struct spoor_source_visitor visitor = { reading, wants, take_line };
	const struct symbol_file *file = reading->file;
	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	struct spoor_elf_file elf;
	bool read = false;

	if (spoor_elf_file_open(&elf, path) < 0)
		return false;
	/* One without a build-id has been found to have the same functions. */
	if (!file->build_id_bytes || (spoor_elf_file_build_id(&elf, build_id) == file->build_id_bytes &&
				      memcmp(build_id, file->build_id, file->build_id_bytes) == 0))
		read = spoor_source_lines(&elf, &visitor) == 0;
	spoor_elf_file_close(&elf);
	return read;
}

static void read_places(struct symbol_file *file)
{
	struct reading reading = { .file = file, .places = calloc(1, sizeof(*reading.places)) };
	char path[SYMBOL_DEBUG_PATH_MAX];

	file->places = reading.places;
	if (!reading.places)
		return;
	reading.places->places = calloc(file->count + 1, sizeof(*reading.places->places));
	if (!reading.places->places)
		return;
	if (!read_lines(&reading, file->path) && symbol_file_debug_path(file, path))
		read_lines(&reading, path);
}

/* What the pass has said. */
static struct symbol_place described_place(struct symbol_file *file, uint32_t local)
{
	const struct unit_symbol *symbol = symbol_file_described(file, local);
	const char *directory = symbol ? unit_symbol_text(symbol->info->directory) : "";
	const char *name = symbol ? unit_symbol_text(symbol->info->file_name) : "";
	struct symbol_place place = { 0 };

	if (!*name)
		return place;
	if (*name == '/' || !*directory)
		place.path = strdup(name);
	else if (asprintf(&place.path, "%s/%s", directory, name) < 0)
		place.path = NULL;
	place.line = symbol->info->line > 0 ? (uint32_t)symbol->info->line : 0;
	return place;
}

struct symbol_place symbol_file_place(struct symbol_file *file, uint32_t local)
{
	struct symbol_place place = described_place(file, local);
	const struct symbol_places *places;

	/* Without -g the pass knows the file alone, and nobody knows more. */
	if (!place.path && !file->fault && local < file->count && file->addresses) {
		if (!file->places)
			read_places(file);
		places = file->places;
		if (places && places->places && places->places[local].path) {
			place.path = strdup(places->paths[places->places[local].path - 1]);
			place.line = places->places[local].line;
		}
	}
	clean_name(place.path);
	return place;
}

void symbol_places_free(struct symbol_file *file)
{
	struct symbol_places *places = file->places;

	for (uint32_t i = 0; places && i < places->path_count; i++)
		free(places->paths[i]);
	if (places) {
		free(places->paths);
		free(places->places);
	}
	free(places);
}
