/* SPDX-License-Identifier: MIT */
/* sdt_notes.c - reads the notes of static tracepoints in an ELF file. */
#include "reader/symbols/sdt_notes.h"

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elf/stapsdt_note.h"
#include "reader/symbols/symbol_functions.h"

static int compare(const void *left, const void *right)
{
	const struct sdt_note *a = left, *b = right;
	int order = strcmp(a->provider, b->provider);

	if (!order)
		order = strcmp(a->name, b->name);
	return order ? order : (a->address > b->address) - (a->address < b->address);
}

/* Returns whether the file loads code at this address. */
static bool is_code(Elf *elf, uint64_t address)
{
	size_t segments;

	if (elf_getphdrnum(elf, &segments))
		return false;
	for (size_t i = 0; i < segments; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD && (segment.p_flags & PF_X) &&
		    address - segment.p_vaddr < segment.p_memsz)
			return true;
	}
	return false;
}

static bool take_note(struct sdt_note *note, Elf *elf, const char *content, size_t bytes, uint64_t base)
{
	struct stapsdt_note parsed;

	*note = (struct sdt_note){ 0 };
	if (!stapsdt_note_parse(&parsed, content, content + bytes, base) || !is_code(elf, parsed.address))
		return false;
	note->provider = strdup(parsed.provider);
	note->name = strdup(parsed.name);
	note->operands = strdup(parsed.operands);
	note->address = parsed.address;
	note->semaphore = parsed.semaphore;
	return note->provider && note->name && note->operands;
}

static void free_note(struct sdt_note *note)
{
	free(note->provider);
	free(note->name);
	free(note->operands);
}

static const char *take_notes(struct sdt_notes *notes, Elf *elf, Elf_Data *data, uint64_t base)
{
	size_t at = 0, next, name, content;
	GElf_Nhdr header;

	while ((next = gelf_getnote(data, at, &header, &name, &content)) > 0) {
		const char *bytes = data->d_buf;
		struct sdt_note *list;

		at = next;
		if (header.n_namesz != sizeof(STAPSDT_OWNER) || memcmp(bytes + name, STAPSDT_OWNER, sizeof(STAPSDT_OWNER)) != 0)
			continue;
		list = reallocarray(notes->list, notes->count + 1, sizeof(*list));
		if (!list)
			return "out of memory";
		notes->list = list;
		if (header.n_type == STAPSDT_TYPE && take_note(&list[notes->count], elf, bytes + content, header.n_descsz, base)) {
			notes->count++;
		} else {
			if (header.n_type == STAPSDT_TYPE)
				free_note(&list[notes->count]);
			notes->wrong++;
		}
	}
	/* The bytes after the last readable note. */
	notes->wrong += at < data->d_size;
	return NULL;
}

static const char *read_elf(struct sdt_notes *notes, Elf *elf)
{
	GElf_Shdr header, base;
	GElf_Ehdr file;
	Elf_Scn *section;
	Elf_Data *data;
	const char *wrong = elf_unreadable(elf);

	if (wrong)
		return wrong;
	if (!gelf_getehdr(elf, &file))
		return "is not an ELF file";
	if (file.e_type == ET_REL)
		return "is not linked yet: its tracepoints have no addresses";
	notes->machine = file.e_machine;
	section = elf_find_section(elf, STAPSDT_SECTION, 0, &header);
	data = section ? elf_getdata(section, NULL) : NULL;
	if (!data || !data->d_buf)
		return NULL;
	wrong = take_notes(notes, elf, data, elf_find_section(elf, STAPSDT_BASE_SECTION, 0, &base) ? base.sh_addr : 0);
	if (notes->count)
		qsort(notes->list, notes->count, sizeof(*notes->list), compare);
	return wrong;
}

const char *sdt_notes_read(struct sdt_notes *notes, int fd)
{
	const char *wrong;
	Elf *elf;

	*notes = (struct sdt_notes){ 0 };
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	wrong = read_elf(notes, elf);
	elf_end(elf);
	return wrong;
}

void sdt_notes_free(struct sdt_notes *notes)
{
	for (size_t i = 0; i < notes->count; i++)
		free_note(&notes->list[i]);
	free(notes->list);
	*notes = (struct sdt_notes){ 0 };
}
