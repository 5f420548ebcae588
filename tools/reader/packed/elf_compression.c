/* SPDX-License-Identifier: MIT */
/* elf_compression.c - compresses and decompresses sections of packed files. */
#include "reader/packed/elf_compression.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SMALL 4096u		/* bytes; a smaller section stays readable for every tool */
#define EXPANSION_MAX 1040u	/* zlib expands each byte to less than this */
#define EXPANDED_MAX (UINT64_C(1) << 30)

const char *elf_expand(Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;
		GElf_Shdr header;
		GElf_Chdr shape;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_COMPRESSED))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && strncmp(name, ".debug", strlen(".debug")) == 0)
			continue;
		if (!gelf_getchdr(section, &shape) || shape.ch_type != ELFCOMPRESS_ZLIB || shape.ch_size >= EXPANDED_MAX ||
		    shape.ch_size / EXPANSION_MAX > header.sh_size || elf_compress(section, 0, 0) < 0)
			return "a compressed section is damaged";
	}
	return NULL;
}

size_t elf_deflate(const void *content, size_t size, uint64_t alignment, void **bytes)
{
	Elf64_Chdr header = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = size, .ch_addralign = alignment };
	uLongf room = compressBound(size);

	*bytes = NULL;
	if (size < SMALL)
		return 0;
	*bytes = malloc(sizeof(header) + room);
	/* The fastest level: the others save a tenth of the bytes and take three times as long. */
	if (!*bytes || compress2((Bytef *)*bytes + sizeof(header), &room, content, size, Z_BEST_SPEED) != Z_OK ||
	    sizeof(header) + room >= size) {
		free(*bytes);
		*bytes = NULL;
		return 0;
	}
	memcpy(*bytes, &header, sizeof(header));
	return sizeof(header) + room;
}
