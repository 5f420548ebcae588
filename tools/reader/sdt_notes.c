/* SPDX-License-Identifier: MIT */
/* sdt_notes.c - notes of static tracepoints out of an ELF file. */
#include "sdt_notes.h"

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbol_functions.h"

#define SECTION ".note.stapsdt"
#define BASE_SECTION ".stapsdt.base"
#define OWNER "stapsdt"
#define NOTE_TYPE 3

/* What begins a note's content. */
struct head {
	uint64_t address, base, semaphore;
};

static int compare(const void *left, const void *right)
{
	const struct sdt_note *a = left, *b = right;
	int order = strcmp(a->provider, b->provider);

	if (!order)
		order = strcmp(a->name, b->name);
	return order ? order : (a->address > b->address) - (a->address < b->address);
}

/* Whether the file loads code there. */
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

/* Strings that each end within [@at, @end). Return: behind the string, or null. */
static const char *take_string(const char *at, const char *end, char **copy)
{
	const char *behind = at ? memchr(at, '\0', (size_t)(end - at)) : NULL;

	*copy = behind ? strdup(at) : NULL;
	return *copy ? behind + 1 : NULL;
}

/* @base: where the section of that name is now, or 0: a file may have been moved, as by prelink. */
static bool take_note(struct sdt_note *note, Elf *elf, const char *content, size_t bytes, uint64_t base)
{
	struct head head;
	const char *at;

	*note = (struct sdt_note){ 0 };
	if (bytes < sizeof(head))
		return false;
	memcpy(&head, content, sizeof(head));
	at = take_string(content + sizeof(head), content + bytes, &note->provider);
	at = take_string(at, content + bytes, &note->name);
	at = take_string(at, content + bytes, &note->operands);
	note->address = head.address + (base ? base - head.base : 0);
	note->semaphore = head.semaphore ? head.semaphore + (base ? base - head.base : 0) : 0;
	return at && *note->provider && *note->name && is_code(elf, note->address);
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
		if (header.n_namesz != sizeof(OWNER) || memcmp(bytes + name, OWNER, sizeof(OWNER)) != 0)
			continue;
		list = reallocarray(notes->list, notes->count + 1, sizeof(*list));
		if (!list)
			return "no memory for its tracepoints";
		notes->list = list;
		if (header.n_type == NOTE_TYPE && take_note(&list[notes->count], elf, bytes + content, header.n_descsz, base)) {
			notes->count++;
		} else {
			if (header.n_type == NOTE_TYPE)
				free_note(&list[notes->count]);
			notes->wrong++;
		}
	}
	/* What is behind the last note that can be read. */
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
	section = elf_find_section(elf, SECTION, 0, &header);
	data = section ? elf_getdata(section, NULL) : NULL;
	if (!data || !data->d_buf)
		return NULL;
	wrong = take_notes(notes, elf, data, elf_find_section(elf, BASE_SECTION, 0, &base) ? base.sh_addr : 0);
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
