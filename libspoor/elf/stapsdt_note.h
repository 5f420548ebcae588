/* SPDX-License-Identifier: MIT */
/* stapsdt_note.h - a static tracepoint's note: SystemTap's wiki, "UserSpaceProbeImplementation". */
#ifndef SPOOR_STAPSDT_NOTE_H
#define SPOOR_STAPSDT_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#define STAPSDT_SECTION ".note.stapsdt"
#define STAPSDT_BASE_SECTION ".stapsdt.base"
#define STAPSDT_OWNER "stapsdt"
#define STAPSDT_TYPE 3

struct stapsdt_note {
	const char *provider, *name, *operands;	/* within the parsed note */
	uint64_t address, semaphore;		/* virtual addresses in the file; semaphore 0: none */
};

/*
 * stapsdt_note_parse - parses the content [@content, @end) of a note.
 * @base: address of the base section, or 0 if there is none. Tools such as prelink may have moved the
 *        file after the note was written; the note has the base section's address from before.
 *
 * Return: whether the note is valid.
 */
bool stapsdt_note_parse(struct stapsdt_note *note, const char *content, const char *end, uint64_t base);

#endif
