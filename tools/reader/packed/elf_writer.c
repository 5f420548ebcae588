/* SPDX-License-Identifier: MIT */
/* elf_writer.c - builds an ELF file of a few sections in memory. */
#include "reader/packed/elf_writer.h"

#include <stdlib.h>
#include <string.h>

#include "reader/packed/elf_compression.h"

#define ALIGN 8u

void elf_writer_put_to(struct elf_writer *out, struct elf_bytes *bytes, const void *more, size_t size)
{
	if (!size || out->failed)
		return;
	if (size > bytes->room - bytes->used) {
		size_t room = 2 * (bytes->used + size);
		uint8_t *at = realloc(bytes->at, room);

		if (!at) {
			out->failed = true;
			return;
		}
		bytes->at = at;
		bytes->room = room;
	}
	memcpy(bytes->at + bytes->used, more, size);
	bytes->used += size;
}

void elf_writer_put(struct elf_writer *out, const void *more, size_t size)
{
	elf_writer_put_to(out, &out->image, more, size);
}

void elf_writer_begin(struct elf_writer *out)
{
	static const struct { Elf64_Ehdr header; Elf64_Phdr segments[ELF_WRITER_SEGMENTS]; } place;

	*out = (struct elf_writer){ .section_count = 1 };	/* the section with number 0 */
	elf_writer_put(out, &place, sizeof(place));
	elf_writer_put_to(out, &out->names, "", 1);
}

void elf_writer_free(struct elf_writer *out)
{
	free(out->image.at);
	free(out->names.at);
	*out = (struct elf_writer){ 0 };
}

void elf_writer_align(struct elf_writer *out)
{
	static const char zeros[ALIGN];

	elf_writer_put(out, zeros, (ALIGN - out->image.used % ALIGN) % ALIGN);
}

Elf64_Shdr *elf_writer_section(struct elf_writer *out, const char *name, Elf64_Word type)
{
	Elf64_Shdr *section = &out->sections[out->section_count++];

	elf_writer_align(out);
	*section = (Elf64_Shdr){ .sh_name = (Elf64_Word)out->names.used, .sh_type = type, .sh_addralign = ALIGN,
				 .sh_offset = out->image.used };
	elf_writer_put_to(out, &out->names, name, strlen(name) + 1);
	return section;
}

void elf_writer_end_section(struct elf_writer *out, Elf64_Shdr *section)
{
	section->sh_size = out->image.used - section->sh_offset;
}

void elf_writer_end_large_section(struct elf_writer *out, Elf64_Shdr *section)
{
	size_t size = out->image.used - section->sh_offset, deflated = 0;
	void *bytes = NULL;

	if (!out->failed)
		deflated = elf_deflate(out->image.at + section->sh_offset, size, ALIGN, &bytes);
	if (deflated) {
		out->image.used = section->sh_offset;
		elf_writer_put(out, bytes, deflated);
		section->sh_flags |= SHF_COMPRESSED;
	}
	free(bytes);
	elf_writer_end_section(out, section);
}

void elf_writer_segment(struct elf_writer *out, Elf64_Word type, const Elf64_Shdr *section)
{
	out->segments[out->segment_count++] = (Elf64_Phdr){
		.p_type = type, .p_flags = PF_R, .p_offset = section->sh_offset, .p_vaddr = section->sh_addr,
		.p_filesz = section->sh_size, .p_align = 4,
	};
}

void elf_writer_end(struct elf_writer *out, const GElf_Ehdr *original)
{
	Elf64_Shdr *names = elf_writer_section(out, ".shstrtab", SHT_STRTAB);
	Elf64_Ehdr header = {
		.e_type = original->e_type, .e_machine = original->e_machine, .e_version = EV_CURRENT,
		.e_phoff = out->segment_count ? sizeof(header) : 0, .e_ehsize = sizeof(header), .e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (Elf64_Half)out->segment_count, .e_shentsize = sizeof(Elf64_Shdr),
		.e_shstrndx = (Elf64_Half)(out->section_count - 1),
	};

	memcpy(header.e_ident, original->e_ident, EI_NIDENT);
	elf_writer_put(out, out->names.at, out->failed ? 0 : out->names.used);
	elf_writer_end_section(out, names);
	elf_writer_align(out);
	header.e_shoff = out->image.used;
	header.e_shnum = (Elf64_Half)out->section_count;
	elf_writer_put(out, out->sections, out->section_count * sizeof(Elf64_Shdr));
	if (out->failed)
		return;
	memcpy(out->image.at, &header, sizeof(header));
	memcpy(out->image.at + sizeof(header), out->segments, sizeof(out->segments));
}
