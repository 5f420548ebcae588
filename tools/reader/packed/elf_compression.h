/* SPDX-License-Identifier: MIT */
/* elf_compression.h - sections of packed files that are compressed by zlib, as the ELF standard describes. */
#ifndef SPOOR_READER_ELF_COMPRESSION_H
#define SPOOR_READER_ELF_COMPRESSION_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

/*
 * elf_expand - decompresses all sections but debug information (debug_section.h) in memory.
 *
 * Returns null, or the error, without a full stop.
 */
const char *elf_expand(Elf *elf);

/*
 * elf_deflate - compresses the content of a section.
 * @bytes: receives the compression header and the compressed content, which the caller frees
 *
 * Returns the number of @bytes, or 0 if the section is small, would not shrink, or memory ran out.
 */
size_t elf_deflate(const void *content, size_t size, uint64_t alignment, void **bytes);

#endif
