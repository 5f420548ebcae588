/* SPDX-License-Identifier: MIT */
/*
 * source_lines.h - where a module's code was written: the line tables of its
 * debug information (.debug_line, DWARF 2 to 5, what -g or -g1 leaves in it).
 *
 * Nothing of it takes memory in the running program: it is read from the file
 * when it is asked for. Compressed sections are not read here.
 */
#ifndef SPOOR_SOURCE_LINES_H
#define SPOOR_SOURCE_LINES_H

#include <stdbool.h>

#include "elf/elf_image.h"

struct spoor_section {
	const char *bytes;	/* null: there is none */
	uint64_t size;
};

/* What line tables consist of. */
struct spoor_line_sections {
	struct spoor_section lines, strings, line_strings;
};

/* All point into these; null or "" where there is none. */
struct spoor_source_place {
	const char *unit_directory;	/* where the compiler was run */
	const char *directory;		/* may be relative to that */
	const char *file;		/* may be relative to that */
	uint64_t line;
};

/* Asked for each run of addresses, as in the file, that come of one line. */
struct spoor_source_visitor {
	void *context;
	bool (*wants)(void *context, uint64_t begin, uint64_t end);
	void (*each)(void *context, uint64_t begin, uint64_t end, const struct spoor_source_place *place);
};

/*
 * spoor_source_lines - goes through all line tables of a file. Damaged ones are
 * left where they stop making sense. About 5 ns a row.
 *
 * Return: 0, or -ENOENT where there are none.
 */
int spoor_source_lines(const struct spoor_elf_file *file, const struct spoor_source_visitor *visitor);

/* The same of sections that are in memory. */
int spoor_source_lines_of(const struct spoor_line_sections *sections, const struct spoor_source_visitor *visitor);

/*
 * spoor_source_path - puts a place's directories and file together.
 * Return: 0, or -ENAMETOOLONG; @path is "" then.
 */
int spoor_source_path(const struct spoor_source_place *place, char *path, size_t size);

#endif
