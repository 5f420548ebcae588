/* SPDX-License-Identifier: MIT */
/* symbol_places.c - finds the source places of a module's functions. */
#include "reader/symbols/symbol_places.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "reader/files/printable_text.h"
#include "reader/symbols/debug_files.h"
#include "reader/symbols/debug_section.h"
#include "reader/symbols/symbol_functions.h"
#include "reader/packed/symbol_subset.h"
#include "reader/symbols/unit_symbols.h"

/* The places from the line tables. */
struct symbol_places {
	struct table_place {
		uint32_t path;		/* position in paths, from 1; 0: unknown */
		uint32_t line;
	} *places;			/* by local function ID */
	char **paths;
	uint32_t path_count, path_capacity;
};

struct reading {
	const struct symbol_file *file;
	struct symbol_places *places;
	struct spoor_source_place latest;	/* the place with the last path */
};

/* Returns the first function that does not begin before @address. */
static uint32_t first_from(const struct symbol_file *file, uint64_t address)
{
	return function_addresses_from(file->addresses, file->count, address);
}

static bool wants(void *context, uint64_t begin, uint64_t end)
{
	const struct symbol_file *file = ((struct reading *)context)->file;
	uint32_t i = first_from(file, begin);

	return i < file->count && file->addresses[i].address < end;
}

/* Returns the path's number, or 0 if it is too long or memory runs out. */
static uint32_t add_path(struct reading *reading, const struct spoor_source_place *place)
{
	const struct spoor_source_place *latest = &reading->latest;
	struct symbol_places *places = reading->places;
	char path[8192];

	/* The strings point into the file, so equal pointers are equal strings. Most places repeat the previous
	 * path. */
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

/* Returns whether the file has line tables. */
static bool read_tables(struct reading *reading, Elf *elf, const char *path)
{
	static const char *const names[] = { ".debug_line", ".debug_str", ".debug_line_str" };
	const struct spoor_source_visitor visitor = { reading, wants, take_line };
	struct debug_section sections[3] = { 0 };
	bool read = false, whole = true;

	for (size_t i = 0; i < 3; i++) {
		const char *wrong = debug_section_read(elf, names[i], &sections[i]);

		if (wrong)
			message("%s: its section %s %s; source lines are unknown", path, names[i], wrong);
		whole &= !wrong;
	}
	if (whole)
		read = spoor_source_lines_of(&(struct spoor_line_sections){ sections[0].section, sections[1].section,
									    sections[2].section }, &visitor) == 0;
	for (size_t i = 0; i < 3; i++)
		debug_section_free(&sections[i]);
	return read;
}

/*
 * @is_known: the file is of this build, unless its build-id differs
 *
 * Returns whether the file is of this build and has line tables.
 */
static bool read_lines(struct reading *reading, const char *path, bool is_known)
{
	const struct symbol_file *file = reading->file;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	Elf *elf;
	bool read = false;

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf_unreadable(elf) && (is_known ? !file->build_id_bytes || elf_compare_build_id(file, elf) != 0 :
						elf_compare_build_id(file, elf) == 1))
		read = read_tables(reading, elf, path);
	elf_end(elf);
	close(fd);
	return read;
}

static void read_places(struct symbol_file *file)
{
	struct reading reading = { .file = file, .places = calloc(1, sizeof(*reading.places)) };
	const char *debug;

	file->places = reading.places;
	if (!reading.places)
		return;
	reading.places->places = calloc(file->count + 1, sizeof(*reading.places->places));
	if (!reading.places->places || read_lines(&reading, file->source, true))
		return;
	/* A packed file has no line tables if the pass recorded all places, or if it is old. The original may
	 * exist. */
	if (file->build_id_bytes && strcmp(file->path, file->source) != 0 && read_lines(&reading, file->path, false))
		return;
	debug = debug_files_find(file, true);
	if (debug)
		read_lines(&reading, debug, true);
}

struct symbol_place described_place(const struct unit_symbol *symbol)
{
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
	clean_name(place.path);
	return place;
}

struct symbol_place symbol_file_place(struct symbol_file *file, uint32_t local)
{
	struct symbol_place place = described_place(symbol_file_described(file, local));
	const struct symbol_places *places;

	file = symbol_subset_holder(file, local);

	/* Without -g the pass knows the path but no line, and no other source knows more. */
	if (!place.path && !file->fault && local < file->count && file->addresses) {
		if (!file->places)
			read_places(file);
		places = file->places;
		if (places && places->places && places->places[local].path) {
			place.path = strdup(places->paths[places->places[local].path - 1]);
			place.line = places->places[local].line;
			clean_name(place.path);
		}
	}
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
