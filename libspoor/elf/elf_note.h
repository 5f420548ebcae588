/* SPDX-License-Identifier: MIT */
/* elf_note.h - finds spoor's notes in a mapped module. */
#ifndef SPOOR_ELF_NOTE_H
#define SPOOR_ELF_NOTE_H

#include <stdint.h>

/*
 * spoor_note_find - finds the content of spoor's note of type @type.
 * @at, @bytes, @align: a PT_NOTE segment
 * @content_bytes:      the required size of the content
 *
 * Return: the content, or null if there is none or the notes are invalid.
 */
const void *spoor_note_find(const void *at, uint64_t bytes, uint64_t align, uint32_t type, uint32_t content_bytes);

/* Returns how the executable wants the runtime to start: enum spoor_asleep, or 0. */
uint32_t spoor_note_asleep(void);

#endif
