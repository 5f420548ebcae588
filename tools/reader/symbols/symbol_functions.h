/* SPDX-License-Identifier: MIT */
/* symbol_functions.h - where the functions of a module begin, by local function ID. */
#ifndef SPOOR_READER_SYMBOL_FUNCTIONS_H
#define SPOOR_READER_SYMBOL_FUNCTIONS_H

#include <gelf.h>

#include "reader/symbols/symbol_file.h"

#define FUNCTIONS_SECTION "spoor_functions"

struct function_address {
	uint64_t address;
	uint32_t local;
};

/*
 * symbol_file_functions - fills in addresses, virtual addresses, keys and constants, from the
 * function table, or of a module with hooks from its unwind table; makes room for names.
 *
 * Return: null, or what is wrong, a sentence without its end; @file has its fault then.
 */
const char *symbol_file_functions(struct symbol_file *file, Elf *elf);

/* The first of @count, in the order of addresses, that does not begin before @address. */
static inline uint32_t function_addresses_from(const struct function_address *functions, uint32_t count, uint64_t address)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (functions[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether @name, of this rank, is the better of two names for one address. */
bool linkage_is_better(int rank, const char *name, int old_rank, const char *old);

/* Whether a function has neither a symbol nor a name that the pass has said. */
bool symbol_is_nameless(struct symbol_file *file, uint32_t local);

/*
 * symbol_debug_open - opens the debug file of @file, whose names are read from `source`.
 * @ask: as debug_files_find
 * @fd:  the caller's to close where it is not -1
 *
 * Return: null where there is none.
 */
Elf *symbol_debug_open(struct symbol_file *file, bool ask, int *fd);

/* Whether @elf has the recorded build-id: 1 yes, 0 another one, -1 none. */
int elf_compare_build_id(const struct symbol_file *file, Elf *elf);

/* Return: null, or what keeps us from reading it, a sentence without its end. @elf may be null. */
const char *elf_unreadable(Elf *elf);

/* What PT_GNU_EH_FRAME has, which no strip takes away; null for none. */
Elf_Data *elf_unwind_table(Elf *elf, GElf_Phdr *segment);

/* The section of that name, or where @wanted is null the first of that type; null for none. */
Elf_Scn *elf_find_section(Elf *elf, const char *wanted, GElf_Word type, GElf_Shdr *header);

#endif
