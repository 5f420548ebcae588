/* SPDX-License-Identifier: MIT */
/*
 * source_lines.h - reads the source lines of a module's code from its debug information (.debug_line,
 * DWARF 2 to 5, as -g and -g1 write it).
 *
 * The information takes no memory in the running program: it is read from the file on request.
 * Compressed sections are not supported.
 */
#ifndef SPOOR_SOURCE_LINES_H
#define SPOOR_SOURCE_LINES_H

#include <stdbool.h>

#include "elf/elf_image.h"

struct spoor_section {
	const char *bytes;	/* null: there is none */
	uint64_t size;
};

/* The sections of line tables. */
struct spoor_line_sections {
	struct spoor_section lines, strings, line_strings;
};

/* Strings are within the sections; null or "" if there is none. */
struct spoor_source_place {
	const char *unit_directory;	/* where the compiler ran */
	const char *directory;		/* absolute, or relative to unit_directory */
	const char *file;		/* absolute, or relative to directory */
	uint64_t line;
};

/* Gets each range of addresses in the file that belongs to one line. */
struct spoor_source_visitor {
	void *context;
	bool (*wants)(void *context, uint64_t begin, uint64_t end);
	void (*each)(void *context, uint64_t begin, uint64_t end, const struct spoor_source_place *place);
};

/*
 * spoor_source_lines - reads all line tables of a file. Stops reading a table at the first error in it.
 * About 5 ns per row.
 *
 * Return: 0, or -ENOENT if there are none.
 */
int spoor_source_lines(const struct spoor_elf_file *file, const struct spoor_source_visitor *visitor);

/* The same for sections in memory. */
int spoor_source_lines_of(const struct spoor_line_sections *sections, const struct spoor_source_visitor *visitor);

/*
 * spoor_source_path - joins the directories and the file of a place.
 *
 * Return: 0, or -ENAMETOOLONG: then @path is "".
 */
int spoor_source_path(const struct spoor_source_place *place, char *path, size_t size);

#endif
