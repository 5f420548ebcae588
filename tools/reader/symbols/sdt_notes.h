/* SPDX-License-Identifier: MIT */
/*
 * sdt_notes.h - reads the static tracepoints of an ELF file from its section .note.stapsdt. The
 * section comes from spoor/sdt.h, SystemTap's sys/sdt.h, and others that write the same format
 * (SystemTap's wiki, "UserSpaceProbeImplementation", version 3 of the note).
 */
#ifndef SPOOR_READER_SDT_NOTES_H
#define SPOOR_READER_SDT_NOTES_H

#include <stddef.h>
#include <stdint.h>

struct sdt_note {
	char *provider, *name, *operands;	/* operands: "" for none */
	uint64_t address;	/* of the nop, */
	uint64_t semaphore;	/* ... and of the 16-bit counter, or 0; both as in the file */
};

struct sdt_notes {
	struct sdt_note *list;	/* sorted by provider, name, address */
	size_t count;
	size_t wrong;		/* invalid notes: cut off, of another version, outside of the text */
	uint16_t machine;	/* of the ELF header */
};

/*
 * sdt_notes_read - reads the notes of an ELF file.
 *
 * Returns null, or the error, without a full stop. Call sdt_notes_free in both cases.
 */
const char *sdt_notes_read(struct sdt_notes *notes, int fd);
void sdt_notes_free(struct sdt_notes *notes);

#endif
