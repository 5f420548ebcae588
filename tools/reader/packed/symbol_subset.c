/* SPDX-License-Identifier: MIT */
/* symbol_subset.c - which functions of a module a packed file has. */
#include "reader/packed/symbol_subset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/symbols/symbol_functions.h"

#define VARIABLES_MAX 1000u	/* locks that a trace names; few programs have more */

int symbol_subset_begin(struct symbol_file *file)
{
	if (!file->wanted)
		file->wanted = calloc(symbol_subset_words(file) + 1, sizeof(*file->wanted));
	return file->wanted ? 0 : -ENOMEM;
}

int symbol_subset_add_variable(struct symbol_file *file, uint64_t address)
{
	uint64_t *variables;

	for (size_t i = 0; i < file->variable_count; i++)
		if (file->variables[i] == address)
			return 0;
	if (file->variable_count >= VARIABLES_MAX)
		return 0;
	variables = reallocarray(file->variables, file->variable_count + 1, sizeof(*variables));
	if (!variables)
		return -ENOMEM;
	variables[file->variable_count++] = address;
	file->variables = variables;
	return 0;
}

bool symbol_subset_wants_any(const struct symbol_file *file)
{
	if (file->variable_count)
		return true;
	for (uint32_t i = 0; i < file->count; i++)
		if (symbol_file_wants(file, i))
			return true;
	return false;
}

bool symbol_subset_wants_all(const struct symbol_file *file)
{
	for (uint32_t i = 0; i < file->count; i++)
		if (!symbol_file_wants(file, i))
			return false;
	return true;
}

const char *symbol_subset_read(struct symbol_file *file, Elf *elf)
{
	size_t bytes = symbol_subset_words(file) * sizeof(*file->stored);
	GElf_Shdr header;
	Elf_Scn *section = elf_find_section(elf, STORED_SECTION, SHT_PROGBITS, &header);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;

	if (!section)
		return NULL;
	if (!data || !data->d_buf || data->d_size != bytes)
		return "its section " STORED_SECTION " is damaged";
	file->stored = malloc(bytes);
	if (!file->stored)
		return "out of memory";
	memcpy(file->stored, data->d_buf, bytes);
	return NULL;
}

int symbol_subset_chain(struct symbol_file *file, char *path)
{
	struct symbol_file *rest = symbol_file_new(file->path, file->library, file->build_id, file->build_id_bytes,
						   file->module_id, file->count, file->demangle);

	if (!rest) {
		free(path);
		return -ENOMEM;
	}
	rest->packed = path;
	rest->hooked = file->hooked;
	rest->by_symbol = file->by_symbol;
	rest->rest = file->rest;
	__atomic_store_n(&file->rest, rest, __ATOMIC_RELEASE);
	return 0;
}

struct symbol_file *symbol_subset_holder(struct symbol_file *file, uint32_t local)
{
	while (local < file->count) {
		bool is_named = symbol_file_check(file) && symbol_file_has(file, local);

		/* The last file without a rest gives the reason why there is no name. */
		struct symbol_file *rest = __atomic_load_n(&file->rest, __ATOMIC_ACQUIRE);

		if (is_named || !rest)
			break;
		file = rest;
	}
	return file;
}
