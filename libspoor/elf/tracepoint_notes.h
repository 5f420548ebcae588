/* SPDX-License-Identifier: MIT */
/*
 * tracepoint_notes.h - the static tracepoints in a file's section .note.stapsdt, without libelf and
 * without memory of their own (tools/reader/symbols/sdt_notes.h has both).
 */
#ifndef SPOOR_PROBE_NOTES_H
#define SPOOR_PROBE_NOTES_H

#include <stdbool.h>

#include "elf/elf_image.h"
#include "elf/stapsdt_note.h"

struct spoor_probe_notes {
	const struct spoor_elf_file *file;
	const char *at, *end;
	uint64_t base;			/* where the section .stapsdt.base is; 0: there is none */
	uint32_t wrong;			/* that made no sense */
};

/* Return: whether the file has any. */
bool spoor_probe_notes_begin(struct spoor_probe_notes *notes, const struct spoor_elf_file *file);

/* Return: whether there was one more. */
bool spoor_probe_notes_next(struct spoor_probe_notes *notes, struct stapsdt_note *note);

/* Whether spoor/sdt.h has defined that semaphore: what has it is recorded without a breakpoint. */
bool spoor_probe_semaphore_is_ours(const struct spoor_elf_file *file, uint64_t semaphore);

#endif
