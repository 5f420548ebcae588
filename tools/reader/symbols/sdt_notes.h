/* SPDX-License-Identifier: MIT */
/*
 * sdt_notes.h - the static tracepoints of an ELF file, from its section .note.stapsdt: those of
 * spoor/sdt.h, of SystemTap's sys/sdt.h, and of others that write the same (SystemTap's wiki,
 * "UserSpaceProbeImplementation", version 3 of the note).
 */
#ifndef SPOOR_READER_SDT_NOTES_H
#define SPOOR_READER_SDT_NOTES_H

#include <stddef.h>
#include <stdint.h>

struct sdt_note {
	char *provider, *name, *operands;	/* operands: "" for none */
	uint64_t address;	/* of the nop, */
	uint64_t semaphore;	/* ... and of the 16-bit counter, or 0: as the file's addresses are */
};

struct sdt_notes {
	struct sdt_note *list;	/* by provider, name, address */
	size_t count;
	size_t wrong;		/* that make no sense: cut off, of another version, outside of the text */
	uint16_t machine;	/* of the ELF header */
};

/*
 * sdt_notes_read - the notes of an ELF file.
 *
 * Return: null, or what is wrong with the file, a sentence without its end; free them in any
 * case.
 */
const char *sdt_notes_read(struct sdt_notes *notes, int fd);
void sdt_notes_free(struct sdt_notes *notes);

#endif
