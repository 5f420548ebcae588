/* SPDX-License-Identifier: MIT */
/*
 * elf_image.h - reads a module's ELF image, in memory and from its file.
 *
 * The file may have been replaced or damaged, so every offset is checked.
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
	uint32_t build_id_bytes;	/* 0: none */
	const char *soname;		/* in the module's own memory; null: none */
};

/* spoor_image_read - reads the headers of a mapped module. @image: its ELF header in memory */
void spoor_image_read(const void *image, struct spoor_image *result);

/* spoor_program_is_static - whether the process has no dynamic loader. */
bool spoor_program_is_static(void);

/* spoor_executable_path - canonical path of the running program when this was first called; "" if it is unknown. */
const char *spoor_executable_path(void);

struct spoor_elf_file {
	const uint8_t *bytes;
	size_t size;
};

/*
 * spoor_elf_file_open - maps a file of 64 bits and little-endian byte order.
 *
 * Return: 0, a negative errno of open, fstat or mmap, or -ENOEXEC.
 */
int spoor_elf_file_open(struct spoor_elf_file *file, const char *path);
void spoor_elf_file_close(struct spoor_elf_file *file);

/* The same check for a file in memory. Returns 0 or -ENOEXEC. */
int spoor_elf_file_check(const struct spoor_elf_file *file);

/* Finds the address of a section. Returns whether the file has the section. */
int spoor_elf_file_section_address(const struct spoor_elf_file *file, const char *name, uint64_t *address);

/* Returns the file's contents of the loaded range [@address, @address + @bytes), or null if the file does not contain
 * it. */
const void *spoor_elf_file_loaded(const struct spoor_elf_file *file, uint64_t address, uint64_t bytes);

/* Finds the address of a symbol that the file defines, by its name of @length bytes: the first one in .symtab,
 * or else in .dynsym. Returns whether there is one. */
int spoor_elf_file_symbol(const struct spoor_elf_file *file, const char *name, size_t length, uint64_t *address);

/* Copies the file's build-id. Returns its length; 0 if there is none. */
uint32_t spoor_elf_file_build_id(const struct spoor_elf_file *file, uint8_t *build_id);

/* Returns whether the file has a section. @bytes: out: its size */
int spoor_elf_file_has_section(const struct spoor_elf_file *file, const char *name, uint64_t *bytes);

/* Returns the contents of a section, or null if it is missing or compressed. */
const void *spoor_elf_file_section(const struct spoor_elf_file *file, const char *name, uint64_t *bytes);

/* Iterates over the function symbols of .symtab, or of .dynsym if the file is stripped. */
struct spoor_elf_symbols {
	const uint8_t *at, *end;
	const char *names;
	uint64_t names_bytes;	/* up to the last NUL */
	bool with_indirect;	/* also functions that the loader chooses, such as memcpy(3); the caller may set it */
};

/* Returns 0, or -ENOENT if the file has neither table. */
int spoor_elf_symbols_begin(struct spoor_elf_symbols *symbols, const struct spoor_elf_file *file);

/* Returns the name of the next function and its @address; null at the end. */
static inline const char *spoor_elf_symbols_next(struct spoor_elf_symbols *symbols, uint64_t *address)
{
	for (; (size_t)(symbols->end - symbols->at) >= sizeof(ElfW(Sym)); symbols->at += sizeof(ElfW(Sym))) {
		ElfW(Sym) symbol;

		memcpy(&symbol, symbols->at, sizeof(symbol));
		if ((ELF64_ST_TYPE(symbol.st_info) != STT_FUNC &&
		     !(symbols->with_indirect && ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC)) || symbol.st_shndx == SHN_UNDEF ||
		    symbol.st_name >= symbols->names_bytes || !symbols->names[symbol.st_name])
			continue;
		symbols->at += sizeof(symbol);
		*address = symbol.st_value;
		return symbols->names + symbol.st_name;
	}
	return NULL;
}

#endif
