/* SPDX-License-Identifier: MIT */
/* target_symbols.c - finds functions that the ELF images of a process export. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "attach/target.h"

#define SYMBOL_BYTES_MAX 64u

/* The needed parts of an image's dynamic section. Addresses are addresses in memory. */
struct exports {
	uint64_t bias, symbols, strings, hash, strings_bytes;
};

static int read_exports(pid_t pid, const struct target_image *image, struct exports *exports)
{
	uint64_t dynamic = 0, size = 0;
	Elf64_Ehdr header;
	bool first = true;
	Elf64_Phdr segment;
	Elf64_Dyn entry;

	memset(exports, 0, sizeof(*exports));
	if (target_read(pid, image->begin, &header, sizeof(header)) < 0 || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return -ENOEXEC;
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		if (target_read(pid, image->begin + header.e_phoff + i * sizeof(segment), &segment, sizeof(segment)) < 0)
			return -EFAULT;
		if (segment.p_type == PT_LOAD && first) {
			exports->bias = image->begin - (segment.p_vaddr & ~(uint64_t)4095);
			first = false;
		} else if (segment.p_type == PT_DYNAMIC) {
			dynamic = segment.p_vaddr;
			size = segment.p_memsz;
		}
	}
	for (uint64_t at = 0; dynamic && at + sizeof(entry) <= size; at += sizeof(entry)) {
		/* The dynamic loader relocates these in most images, but not in its own. */
		uint64_t address;

		if (target_read(pid, exports->bias + dynamic + at, &entry, sizeof(entry)) < 0)
			return -EFAULT;
		address = entry.d_un.d_ptr < exports->bias ? exports->bias + entry.d_un.d_ptr : entry.d_un.d_ptr;
		if (entry.d_tag == DT_NULL)
			break;
		else if (entry.d_tag == DT_SYMTAB)
			exports->symbols = address;
		else if (entry.d_tag == DT_STRTAB)
			exports->strings = address;
		else if (entry.d_tag == DT_STRSZ)
			exports->strings_bytes = entry.d_un.d_val;
		else if (entry.d_tag == DT_GNU_HASH)
			exports->hash = address;
	}
	return exports->symbols && exports->strings && exports->hash ? 0 : -ENOENT;
}

/* Returns whether a symbol is a function with this name that the image defines; stores its address. */
static bool is_symbol(pid_t pid, const struct exports *exports, uint32_t index, const char *name, uint64_t *address)
{
	char found[SYMBOL_BYTES_MAX];
	size_t length = strlen(name) + 1;
	Elf64_Sym symbol;

	if (target_read(pid, exports->symbols + index * sizeof(symbol), &symbol, sizeof(symbol)) < 0 ||
	    symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || length > sizeof(found) ||
	    symbol.st_name >= exports->strings_bytes || exports->strings_bytes - symbol.st_name < length ||
	    target_read(pid, exports->strings + symbol.st_name, found, length) < 0 || memcmp(found, name, length) != 0)
		return false;
	*address = exports->bias + symbol.st_value;
	return true;
}

/* Looks up a name as the dynamic loader does. */
static uint64_t find_symbol(pid_t pid, const struct exports *exports, const char *name)
{
	struct { uint32_t buckets, first, bloom_words, shift; } head;
	uint32_t hash = 5381, index, entry;
	uint64_t buckets, address;

	for (const char *at = name; *at; at++)
		hash = hash * 33 + (unsigned char)*at;
	if (target_read(pid, exports->hash, &head, sizeof(head)) < 0 || !head.buckets)
		return 0;
	buckets = exports->hash + sizeof(head) + 8ull * head.bloom_words;
	if (target_read(pid, buckets + 4ull * (hash % head.buckets), &index, sizeof(index)) < 0 || index < head.first)
		return 0;
	for (;; index++) {
		if (target_read(pid, buckets + 4ull * head.buckets + 4ull * (index - head.first), &entry,
				sizeof(entry)) < 0)
			return 0;
		if ((entry | 1) == (hash | 1) && is_symbol(pid, exports, index, name, &address))
			return address;
		if (entry & 1)
			return 0;
	}
}

void target_symbols(const struct target *target, const struct target_image *image, const char *const *names,
		    size_t count, uint64_t *addresses)
{
	struct exports exports;
	bool exports_any = read_exports(target->pid, image, &exports) == 0;

	for (size_t i = 0; i < count; i++)
		addresses[i] = exports_any ? find_symbol(target->pid, &exports, names[i]) : 0;
}

uint64_t target_symbol(const struct target *target, const struct target_image *image, const char *name)
{
	uint64_t address = 0;

	for (size_t i = 0; i < target->image_count && !address; i++)
		if (!image || image == &target->images[i])
			target_symbols(target, &target->images[i], &name, 1, &address);
	return address;
}
