/* SPDX-License-Identifier: MIT */
/* symbol_functions.h - finds where the functions of a module begin, by local function ID. */
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
 * symbol_file_functions - sets addresses, virtual addresses, keys and constants, from the function
 * table, or for a module with hooks from its unwind table. Makes room for names.
 *
 * Returns null, or the error, without a full stop, with @file->fault set.
 */
const char *symbol_file_functions(struct symbol_file *file, Elf *elf);

/* Returns the first of @count functions, sorted by address, that does not begin before @address. */
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

/* Returns whether @name, of this rank, is better than another name for the same address. */
bool linkage_is_better(int rank, const char *name, int old_rank, const char *old);

/* Returns whether a function has neither a symbol nor a name from the pass. */
bool symbol_is_nameless(struct symbol_file *file, uint32_t local);

/*
 * symbol_debug_open - opens the debug file of @file, whose names were read from `source`.
 * @ask: as for debug_files_find
 * @fd:  receives a descriptor, which the caller closes unless it is -1
 *
 * Returns null if there is none.
 */
Elf *symbol_debug_open(struct symbol_file *file, bool ask, int *fd);

/* Returns whether @elf has the recorded build-id: 1: yes; 0: it has a different build-id; -1: it has no
 * build-id. */
int elf_compare_build_id(const struct symbol_file *file, Elf *elf);

/* Returns null, or the reason why it cannot be read, without a full stop. @elf may be null. */
const char *elf_unreadable(Elf *elf);

/* Returns the contents of PT_GNU_EH_FRAME, which strip never removes; null for none. */
Elf_Data *elf_unwind_table(Elf *elf, GElf_Phdr *segment);

/* Returns the section with this name, or, if @wanted is null, the first one of this type; null for none. */
Elf_Scn *elf_find_section(Elf *elf, const char *wanted, GElf_Word type, GElf_Shdr *header);

#endif
