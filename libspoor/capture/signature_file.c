/* SPDX-License-Identifier: MIT */
/*
 * signature_file.c - finds the descriptions of a module's functions in the module's file.
 *
 * The section is not loaded with the program, so the file is mapped for a moment. It may be damaged.
 */
#include "capture/signature_file.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "format/signature_format.h"

static bool is_wanted(const uint64_t *wanted, uint32_t local)
{
	return wanted[local / 64] >> (local % 64) & 1;
}

static int open_same_file(struct spoor_signature_file *file, const struct spoor_instance *instance)
{
	uint8_t build_id[SPOOR_BUILD_ID_MAX];
	uint32_t bytes;

	if (spoor_elf_file_open(&file->file, instance->path) < 0)
		return -ENOENT;
	bytes = spoor_elf_file_build_id(&file->file, build_id);
	if (bytes == instance->build_id_bytes && memcmp(build_id, instance->build_id, bytes) == 0)
		return 0;
	spoor_elf_file_close(&file->file);
	return -ENOENT;
}

static uint32_t number_at(const uint8_t *at)
{
	uint32_t number;

	memcpy(&number, at, sizeof(number));
	return number;
}

static uint64_t key_of(const struct spoor_function *function)
{
	return (uint64_t)function->unit << 32 | (function->position & SPOOR_FUNCTION_POSITION_MASK);
}

/* Tells if the description at @new replaces the one at @old: it says more. */
static bool is_better(const uint8_t *old, const uint8_t *new)
{
	return old[SPOOR_SIGNATURE_HEAD] & SPOOR_SIGNATURE_MAY_CHANGE && !(new[SPOOR_SIGNATURE_HEAD] & SPOOR_SIGNATURE_MAY_CHANGE);
}

/* @sorted: the wanted functions by unit and position */
static void find_all(struct spoor_signature_file *file, const struct spoor_address *sorted, uint32_t count)
{
	for (uint64_t at = 0; file->size - at > SPOOR_SIGNATURE_HEAD;) {
		const uint8_t *record = file->bytes + at;
		uint64_t key = (uint64_t)number_at(record) << 32 | (number_at(record + 4) & SPOOR_FUNCTION_POSITION_MASK);
		uint32_t length = record[8];

		if (!length || length > file->size - at - SPOOR_SIGNATURE_HEAD)
			return;
		for (uint32_t i = spoor_addresses_find(sorted, count, key); i < count && sorted[i].address == key; i++) {
			uint32_t *offset = &file->offsets[sorted[i].index];

			if (!*offset || is_better(file->bytes + *offset - 1, record))
				*offset = (uint32_t)at + 1;
		}
		at += SPOOR_SIGNATURE_HEAD + length;
	}
}

/* Notes the functions in the dynamic symbol table. @sorted: the wanted functions by address */
static void find_exported(struct spoor_signature_file *file, const struct spoor_address *sorted, uint32_t count,
			  uint64_t load_bias)
{
	uint64_t bytes = 0;
	const uint8_t *symbols = spoor_elf_file_section(&file->file, ".dynsym", &bytes);

	for (uint64_t at = 0; symbols && bytes - at >= sizeof(ElfW(Sym)); at += sizeof(ElfW(Sym))) {
		ElfW(Sym) symbol;
		uint64_t address;

		memcpy(&symbol, symbols + at, sizeof(symbol));
		if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
			continue;
		address = symbol.st_value + load_bias;
		for (uint32_t i = spoor_addresses_find(sorted, count, address); i < count && sorted[i].address == address; i++)
			file->exported[sorted[i].index / 64] |= 1ull << (sorted[i].index % 64);
	}
}

/* Sorts the wanted functions twice: by unit and position, and by address. */
static int find(struct spoor_signature_file *file, const struct spoor_instance *instance, const uint64_t *wanted)
{
	const struct spoor_function *functions = instance->dso->functions_begin;
	struct spoor_functions table = spoor_instance_functions(instance);
	size_t bytes = 2 * (size_t)instance->count * sizeof(struct spoor_address);
	struct spoor_address *items = spoor_memory_map(bytes + 1);
	uint32_t count = 0;

	if (!items)
		return -ENOMEM;
	for (uint32_t local = 0; local < instance->count; local++)
		if (is_wanted(wanted, local))
			items[count++] = (struct spoor_address){ key_of(&functions[local]), local };
	find_all(file, spoor_addresses_sort(items, items + instance->count, count), count);
	count = 0;
	for (uint32_t local = 0; local < instance->count; local++)
		if (is_wanted(wanted, local))
			items[count++] = (struct spoor_address){ spoor_function_address(&table, local), local };
	find_exported(file, spoor_addresses_sort(items, items + instance->count, count), count, instance->load_bias);
	spoor_memory_unmap(items, bytes + 1);
	return 0;
}

int spoor_signature_file_open(struct spoor_signature_file *file, const struct spoor_instance *instance,
			      const uint64_t *wanted)
{
	size_t words = spoor_instance_words(instance);
	int error;

	*file = (struct spoor_signature_file){ .memory_bytes = words * 8 + (size_t)instance->count * 4 + 1 };
	error = open_same_file(file, instance);
	if (error < 0)
		return error;
	file->bytes = spoor_elf_file_section(&file->file, SPOOR_SIGNATURES_SECTION, &file->size);
	file->memory = spoor_memory_map(file->memory_bytes);
	file->exported = file->memory;
	file->offsets = (uint32_t *)(file->exported + words);
	if (!file->bytes || file->size >= UINT32_MAX)
		error = -ENODATA;
	else
		error = file->memory ? find(file, instance, wanted) : -ENOMEM;
	if (error < 0)
		spoor_signature_file_close(file);
	return error;
}

const uint8_t *spoor_signature_file_find(const struct spoor_signature_file *file, uint32_t local, size_t *length)
{
	uint32_t offset = file->offsets[local];

	if (!offset)
		return NULL;
	*length = file->bytes[offset - 1 + 8];
	return file->bytes + offset - 1 + SPOOR_SIGNATURE_HEAD;
}

void spoor_signature_file_close(struct spoor_signature_file *file)
{
	spoor_memory_unmap(file->memory, file->memory_bytes);
	spoor_elf_file_close(&file->file);
}
