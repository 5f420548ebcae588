/* SPDX-License-Identifier: MIT */
/*
 * elf_writer.h - builds an ELF file of a few sections in memory.
 *
 * Errors of memory are kept in `failed`, so that callers check once, at the end.
 */
#ifndef SPOOR_READER_ELF_WRITER_H
#define SPOOR_READER_ELF_WRITER_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_WRITER_SECTIONS 13u
#define ELF_WRITER_SEGMENTS 2u

struct elf_bytes {
	uint8_t *at;
	size_t used, room;
};

struct elf_writer {
	struct elf_bytes image, names;	/* the file; the names of its sections */
	Elf64_Shdr sections[ELF_WRITER_SECTIONS];
	unsigned int section_count;
	Elf64_Phdr segments[ELF_WRITER_SEGMENTS];
	unsigned int segment_count;
	bool failed;			/* memory ran out */
};

/* Reserves the place of the headers. */
void elf_writer_begin(struct elf_writer *out);
void elf_writer_free(struct elf_writer *out);

/* Appends to the image, or to other bytes. */
void elf_writer_put(struct elf_writer *out, const void *more, size_t size);
void elf_writer_put_to(struct elf_writer *out, struct elf_bytes *bytes, const void *more, size_t size);
void elf_writer_align(struct elf_writer *out);

/* Begins a section at the end of the image. At most ELF_WRITER_SECTIONS - 2 sections. */
Elf64_Shdr *elf_writer_section(struct elf_writer *out, const char *name, Elf64_Word type);
void elf_writer_end_section(struct elf_writer *out, Elf64_Shdr *section);

/* The same for a section that may be large, and that no segment has: compresses it (elf_compression.h). */
void elf_writer_end_large_section(struct elf_writer *out, Elf64_Shdr *section);

/* Adds a segment with the content of a section. */
void elf_writer_segment(struct elf_writer *out, Elf64_Word type, const Elf64_Shdr *section);

/* Writes the headers after everything else, with the kind and machine of another file. */
void elf_writer_end(struct elf_writer *out, const GElf_Ehdr *original);

#endif
