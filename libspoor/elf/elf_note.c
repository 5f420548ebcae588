/* SPDX-License-Identifier: MIT */
/* elf_note.c - finds spoor's notes in a mapped module. */
#include "elf/elf_note.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#include "format/registration.h"

static const void *find(const void *begin, uint64_t bytes, uint64_t align, uint32_t type, uint32_t content_bytes)
{
	const char *at = begin, *end = at + bytes;

	while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
		uint64_t name_bytes = (note->n_namesz + sizeof(*note) + align - 1) & ~(align - 1),
			 all_bytes = (name_bytes + note->n_descsz + align - 1) & ~(align - 1);

		if (all_bytes > (uint64_t)(end - at))
			return NULL;
		if (note->n_type == type && note->n_namesz == sizeof(SPOOR_NOTE_OWNER) &&
		    memcmp(at + sizeof(*note), SPOOR_NOTE_OWNER, sizeof(SPOOR_NOTE_OWNER)) == 0 &&
		    note->n_descsz == content_bytes)
			return at + name_bytes;
		at += all_bytes;
	}
	return NULL;
}

const void *spoor_note_find(const void *begin, uint64_t bytes, uint64_t align, uint32_t type, uint32_t content_bytes)
{
	const void *found = align == 8 ? find(begin, bytes, 8, type, content_bytes) : NULL;

	/* mold puts notes of both alignments into one segment. */
	return found ? found : find(begin, bytes, 4, type, content_bytes);
}

/* Returns the difference between the executable's address and its address in the file. GNU ld writes no PT_PHDR
 * into a static executable: its program headers follow the ELF header. */
static uintptr_t bias_of(const ElfW(Phdr) *headers, unsigned long count)
{
	for (unsigned long i = 0; i < count; i++)
		if (headers[i].p_type == PT_PHDR)
			return (uintptr_t)headers - headers[i].p_vaddr;
	for (unsigned long i = 0; i < count; i++)
		if (headers[i].p_type == PT_LOAD && headers[i].p_offset == 0)
			return (uintptr_t)headers - sizeof(ElfW(Ehdr)) - headers[i].p_vaddr;
	return 0;
}

uint32_t spoor_note_asleep(void)
{
	const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	unsigned long count = headers ? getauxval(AT_PHNUM) : 0;
	uintptr_t bias = bias_of(headers, count);
	uint32_t what;

	for (unsigned long i = 0; i < count; i++) {
		const void *content = headers[i].p_type != PT_NOTE ? NULL :
			spoor_note_find((const void *)(bias + headers[i].p_vaddr), headers[i].p_filesz, headers[i].p_align,
					SPOOR_NOTE_ASLEEP, sizeof(what));

		if (content) {
			memcpy(&what, content, sizeof(what));
			return what;
		}
	}
	return 0;
}
