/* SPDX-License-Identifier: MIT */
/*
 * debug_section.h - a section of debug information, whatever it was compressed by.
 *
 * zlib by libelf; zstd by its library where that is installed, for older versions of libelf do not
 * know it.
 */
#ifndef SPOOR_READER_DEBUG_SECTION_H
#define SPOOR_READER_DEBUG_SECTION_H

#include <libelf.h>

#include "elf/source_lines.h"

struct debug_section {
	struct spoor_section section;	/* the ELF file's, or */
	void *expanded;			/* ... ours */
};

/*
 * debug_section_read - the section of that name; it stays as long as @elf, and until debug_section_free.
 *
 * Return: null, also where there is no such section, or what is wrong, a sentence without its end.
 */
const char *debug_section_read(Elf *elf, const char *name, struct debug_section *section);
void debug_section_free(struct debug_section *section);

#endif
