/* SPDX-License-Identifier: MIT */
/* elf_note.h - notes of ours in a mapped module. */
#ifndef SPOOR_ELF_NOTE_H
#define SPOOR_ELF_NOTE_H

#include <stdint.h>

/*
 * spoor_note_find - the content of our note of a type.
 * @at, @bytes, @align: a PT_NOTE segment
 * @content_bytes:      what it must have
 *
 * Return: null for none, and where the notes make no sense.
 */
const void *spoor_note_find(const void *at, uint64_t bytes, uint64_t align, uint32_t type, uint32_t content_bytes);

/* What the executable says of how the program starts: enum spoor_asleep, or 0. */
uint32_t spoor_note_asleep(void);

#endif
