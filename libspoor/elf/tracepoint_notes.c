/* SPDX-License-Identifier: MIT */
/* tracepoint_notes.c - iterates over the notes of static tracepoints in a file. */
#include "elf/tracepoint_notes.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "spoor/sdt.h"

#define ROUND(bytes) (((uint64_t)(bytes) + 3) & ~3ull)

bool spoor_probe_notes_begin(struct spoor_probe_notes *notes, const struct spoor_elf_file *file)
{
	uint64_t bytes = 0;

	*notes = (struct spoor_probe_notes){ .file = file };
	notes->at = spoor_elf_file_section(file, STAPSDT_SECTION, &bytes);
	if (!notes->at)
		return false;
	notes->end = notes->at + bytes;
	if (!spoor_elf_file_section_address(file, STAPSDT_BASE_SECTION, &notes->base))
		notes->base = 0;
	return true;
}

bool spoor_probe_notes_next(struct spoor_probe_notes *notes, struct stapsdt_note *note)
{
	ElfW(Nhdr) header;

	while ((size_t)(notes->end - notes->at) >= sizeof(header)) {
		uint64_t room = (uint64_t)(notes->end - notes->at) - sizeof(header), content;
		const char *name = notes->at + sizeof(header);

		memcpy(&header, notes->at, sizeof(header));
		content = ROUND(header.n_namesz);
		if (content > room || header.n_descsz > room - content) {
			notes->wrong++;
			break;
		}
		notes->at += sizeof(header) + content;
		notes->at = ROUND(header.n_descsz) < room - content ? notes->at + ROUND(header.n_descsz) : notes->end;
		if (header.n_type != STAPSDT_TYPE || header.n_namesz != sizeof(STAPSDT_OWNER) ||
		    memcmp(name, STAPSDT_OWNER, sizeof(STAPSDT_OWNER)) != 0)
			continue;
		if (stapsdt_note_parse(note, name + content, name + content + header.n_descsz, notes->base))
			return true;
		notes->wrong++;
	}
	notes->at = notes->end;
	return false;
}

/* Returns the pointer at an address of the file. If a relocation sets the pointer, the file may have 0 there. */
static uint64_t pointer_at(const struct spoor_elf_file *file, uint64_t address)
{
	const void *at = spoor_elf_file_loaded(file, address, sizeof(uint64_t));
	uint64_t pointer = 0, bytes = 0;
	const ElfW(Rela) *relocations;

	if (at)
		memcpy(&pointer, at, sizeof(pointer));
	if (!at || pointer)
		return pointer;
	relocations = spoor_elf_file_section(file, ".rela.dyn", &bytes);
	for (uint64_t i = 0; relocations && i < bytes / sizeof(*relocations); i++) {
		ElfW(Rela) relocation;

		memcpy(&relocation, relocations + i, sizeof(relocation));
		if (relocation.r_offset == address)
			return (uint64_t)relocation.r_addend;
	}
	return 0;
}

bool spoor_probe_semaphore_is_ours(const struct spoor_elf_file *file, uint64_t semaphore)
{
	uint64_t bytes = 0, address;
	const char *begin = spoor_elf_file_section(file, ".note.spoor", &bytes), *at = begin;
	const char *end = begin + (begin ? bytes : 0);

	if (!semaphore || !begin || !spoor_elf_file_section_address(file, ".note.spoor", &address))
		return false;
	while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) header;
		uint64_t content, room = (uint64_t)(end - at) - sizeof(header);
		int64_t offset;

		memcpy(&header, at, sizeof(header));
		content = ROUND(header.n_namesz);
		if (content > room || ROUND(header.n_descsz) > room - content)
			return false;
		at += sizeof(header) + content;
		if (header.n_type == SPOOR_SDT_NOTE && header.n_descsz == sizeof(offset)) {
			memcpy(&offset, at, sizeof(offset));
			if (pointer_at(file, address + (uint64_t)(at - begin) + (uint64_t)offset +
					     offsetof(struct spoor_sdt_probe, semaphore)) == semaphore)
				return true;
		}
		at += ROUND(header.n_descsz);
	}
	return false;
}
