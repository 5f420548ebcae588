/* SPDX-License-Identifier: MIT */
/* symbol_functions.h - where the functions of a module begin, by local function ID. */
#ifndef SPOOR_READER_SYMBOL_FUNCTIONS_H
#define SPOOR_READER_SYMBOL_FUNCTIONS_H

#include <gelf.h>

#include "symbol_file.h"

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

/* Opens the file that has a stripped one's symbols, under the same build-id; @fd is the caller's to close where it is
 * not -1. Return: null where there is none. */
Elf *symbol_debug_open(const struct symbol_file *file, int *fd);

/* Return: null, or what keeps us from reading it, a sentence without its end. @elf may be null. */
const char *elf_unreadable(Elf *elf);

/* What PT_GNU_EH_FRAME has, which no strip takes away; null for none. */
Elf_Data *elf_unwind_table(Elf *elf, GElf_Phdr *segment);

/* The section of that name, or where @wanted is null the first of that type; null for none. */
Elf_Scn *elf_find_section(Elf *elf, const char *wanted, GElf_Word type, GElf_Shdr *header);

#endif
