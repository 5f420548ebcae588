/* SPDX-License-Identifier: MIT */
/*
 * elf_image.h - what a module's ELF image says of it, in memory and as a file.
 *
 * The file may be another one by now, or damaged: every offset is checked.
 */
#ifndef SPOOR_ELF_IMAGE_H
#define SPOOR_ELF_IMAGE_H

#include <linux/limits.h>
#include <link.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SPOOR_BUILD_ID_MAX 64

struct spoor_image {
	uint64_t load_bias;
	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	uint32_t build_id_bytes;	/* 0 where it has none */
	const char *soname;		/* in the module's own memory; null where it has none */
};

/* spoor_image_read - reads a mapped module's headers; @image is its ELF header. */
void spoor_image_read(const void *image, struct spoor_image *result);

/* spoor_program_is_static - whether there is no dynamic loader in the process. */
bool spoor_program_is_static(void);

/* spoor_executable_path - of the running program; "" where it cannot be told. */
void spoor_executable_path(char path[PATH_MAX]);

struct spoor_elf_file {
	const uint8_t *bytes;
	size_t size;
};

/*
 * spoor_elf_file_open - maps a file of this machine's class and byte order.
 *
 * Return: 0, a negative errno of open, fstat or mmap, or -ENOEXEC.
 */
int spoor_elf_file_open(struct spoor_elf_file *file, const char *path);
void spoor_elf_file_close(struct spoor_elf_file *file);

/* The same over bytes that are in memory already. Return: 0 or -ENOEXEC. */
int spoor_elf_file_check(const struct spoor_elf_file *file);

/* Where a section of that name is loaded. Return: whether there is one. */
int spoor_elf_file_section_address(const struct spoor_elf_file *file, const char *name, uint64_t *address);

/* What the file has for [@address, @address + @bytes) of what it loads; null for nothing. */
const void *spoor_elf_file_loaded(const struct spoor_elf_file *file, uint64_t address, uint64_t bytes);

/* The address of a symbol that the file defines, by its name's @length bytes: of the first one in .symtab,
 * or else in .dynsym. Return: whether there is one. */
int spoor_elf_file_symbol(const struct spoor_elf_file *file, const char *name, size_t length, uint64_t *address);

/* The file's build-id: its length, or 0 for none. */
uint32_t spoor_elf_file_build_id(const struct spoor_elf_file *file, uint8_t *build_id);

/* Whether the file has a section of that name. */
int spoor_elf_file_has_section(const struct spoor_elf_file *file, const char *name, uint64_t *bytes);

/* What it holds; null where there is none, or it is compressed. */
const void *spoor_elf_file_section(const struct spoor_elf_file *file, const char *name, uint64_t *bytes);

/* A walk over the function symbols of .symtab, or of .dynsym where the file was stripped. */
struct spoor_elf_symbols {
	const uint8_t *at, *end;
	const char *names;
	uint64_t names_bytes;	/* up to the last NUL */
};

/* Return: 0, or -ENOENT where there is neither. */
int spoor_elf_symbols_begin(struct spoor_elf_symbols *symbols, const struct spoor_elf_file *file);

/* Return: the next one's name, with its @address; null at the end. */
static inline const char *spoor_elf_symbols_next(struct spoor_elf_symbols *symbols, uint64_t *address)
{
	for (; (size_t)(symbols->end - symbols->at) >= sizeof(ElfW(Sym)); symbols->at += sizeof(ElfW(Sym))) {
		ElfW(Sym) symbol;

		memcpy(&symbol, symbols->at, sizeof(symbol));
		if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
		    symbol.st_name >= symbols->names_bytes || !symbols->names[symbol.st_name])
			continue;
		symbols->at += sizeof(symbol);
		*address = symbol.st_value;
		return symbols->names + symbol.st_name;
	}
	return NULL;
}

#endif
