/* SPDX-License-Identifier: MIT */
/*
 * debug_section.h - reads sections of debug information, compressed or not.
 *
 * libelf decompresses zlib. The zstd library, if it is installed, decompresses zstd, because older
 * versions of libelf cannot.
 */
#ifndef SPOOR_READER_DEBUG_SECTION_H
#define SPOOR_READER_DEBUG_SECTION_H

#include <libelf.h>

#include "elf/source_lines.h"

struct debug_section {
	struct spoor_section section;	/* owned by the ELF file, or */
	void *expanded;			/* ... by this struct */
};

/*
 * debug_section_read - reads the section with this name. Valid as long as @elf, and until
 * debug_section_free.
 *
 * Returns null, also if there is no such section, or the error, without a full stop.
 */
const char *debug_section_read(Elf *elf, const char *name, struct debug_section *section);
void debug_section_free(struct debug_section *section);

#endif
