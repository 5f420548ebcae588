/* SPDX-License-Identifier: MIT */
/* stapsdt_note.h - one note of a static tracepoint: SystemTap's wiki, "UserSpaceProbeImplementation". */
#ifndef SPOOR_STAPSDT_NOTE_H
#define SPOOR_STAPSDT_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#define STAPSDT_SECTION ".note.stapsdt"
#define STAPSDT_BASE_SECTION ".stapsdt.base"
#define STAPSDT_OWNER "stapsdt"
#define STAPSDT_TYPE 3

struct stapsdt_note {
	const char *provider, *name, *operands;	/* in what was parsed */
	uint64_t address, semaphore;		/* as the file's addresses are; semaphore 0: none */
};

/*
 * stapsdt_note_parse - what a note of that owner and type has between @content and @end.
 * @base: where the base section is, or 0 where there is none: a file may have been moved, as by prelink
 *
 * Return: whether it makes sense.
 */
bool stapsdt_note_parse(struct stapsdt_note *note, const char *content, const char *end, uint64_t base);

#endif
