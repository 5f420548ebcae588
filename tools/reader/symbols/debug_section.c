/* SPDX-License-Identifier: MIT */
/* debug_section.c - reads sections of debug information, and decompresses them. */
#include "reader/symbols/debug_section.h"

#include <dlfcn.h>
#include <gelf.h>
#include <stdlib.h>

#include "reader/symbols/symbol_functions.h"

#define ZSTD_LIBRARY "libzstd.so.1"
#define COMPRESSED_BY_ZSTD 2u		/* ELFCOMPRESS_ZSTD, since glibc 2.38 */
/* zlib expands each byte to less than this; for zstd, a greater claim is rejected. */
#define EXPANSION_MAX 1040u
#define EXPANDED_MAX (UINT64_C(1) << 32)

/* As in <zstd.h>. */
typedef size_t decompress_function(void *to, size_t room, const void *from, size_t bytes);
typedef unsigned int is_error_function(size_t result);

static const char *expand_zstd(Elf_Scn *from, struct debug_section *section, uint64_t size)
{
	static decompress_function *decompress;
	static is_error_function *is_error;
	Elf_Data *data = elf_rawdata(from, NULL);
	void *library = decompress ? NULL : dlopen(ZSTD_LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (library) {
		decompress = (__typeof__(decompress))dlsym(library, "ZSTD_decompress");
		is_error = (__typeof__(is_error))dlsym(library, "ZSTD_isError");
	}
	if (!decompress || !is_error)
		return "is compressed by zstd, and " ZSTD_LIBRARY " is not installed";
	if (!data || !data->d_buf || data->d_size < sizeof(Elf64_Chdr))
		return "is damaged";
	section->expanded = malloc(size + 1);
	if (!section->expanded)
		return "is larger than the available memory";
	size = decompress(section->expanded, size, (const char *)data->d_buf + sizeof(Elf64_Chdr),
			  data->d_size - sizeof(Elf64_Chdr));
	if (is_error(size))
		return "is damaged";
	section->section = (struct spoor_section){ section->expanded, size };
	return NULL;
}

static const char *expand(Elf_Scn *from, const GElf_Shdr *shape, struct debug_section *section)
{
	GElf_Chdr header;
	Elf_Data *data;

	if (!gelf_getchdr(from, &header))
		return "is damaged";
	if (header.ch_size >= EXPANDED_MAX)
		return "has an impossible size";
	if (header.ch_type == COMPRESSED_BY_ZSTD)
		return expand_zstd(from, section, header.ch_size);
	if (header.ch_type != ELFCOMPRESS_ZLIB)
		return "has an unknown compression";
	if (header.ch_size / EXPANSION_MAX > shape->sh_size || elf_compress(from, 0, 0) < 0)
		return "is damaged";
	data = elf_rawdata(from, NULL);
	if (data && data->d_buf)
		section->section = (struct spoor_section){ data->d_buf, data->d_size };
	return NULL;
}

const char *debug_section_read(Elf *elf, const char *name, struct debug_section *section)
{
	GElf_Shdr header;
	Elf_Scn *found = elf_find_section(elf, name, 0, &header);
	Elf_Data *data;

	*section = (struct debug_section){ 0 };
	if (!found || header.sh_type == SHT_NOBITS)
		return NULL;
	if (header.sh_flags & SHF_COMPRESSED)
		return expand(found, &header, section);
	data = elf_rawdata(found, NULL);
	if (data && data->d_buf)
		section->section = (struct spoor_section){ data->d_buf, data->d_size };
	return NULL;
}

void debug_section_free(struct debug_section *section)
{
	free(section->expanded);
	*section = (struct debug_section){ 0 };
}
