/* SPDX-License-Identifier: MIT */
/*
 * tracepoint_notes.h - reads the static tracepoints in a file's section .note.stapsdt.
 *
 * Works without libelf and without allocating memory (tools/reader/symbols/sdt_notes.h uses both).
 */
#ifndef SPOOR_TRACEPOINT_NOTES_H
#define SPOOR_TRACEPOINT_NOTES_H

#include <stdbool.h>

#include "elf/elf_image.h"
#include "elf/stapsdt_note.h"

struct spoor_probe_notes {
	const struct spoor_elf_file *file;
	const char *at, *end;
	uint64_t base;			/* address of the section .stapsdt.base; 0: none */
	uint32_t wrong;			/* number of invalid notes so far */
};

/* Returns whether the file has notes. */
bool spoor_probe_notes_begin(struct spoor_probe_notes *notes, const struct spoor_elf_file *file);

/* Reads the next valid note. Returns whether there was one. */
bool spoor_probe_notes_next(struct spoor_probe_notes *notes, struct stapsdt_note *note);

/* Tells if spoor/sdt.h has defined the semaphore. Such a tracepoint is recorded without a breakpoint. */
bool spoor_probe_semaphore_is_ours(const struct spoor_elf_file *file, uint64_t semaphore);

#endif
