/* SPDX-License-Identifier: MIT */
/*
 * symbol_subset.h - which functions of a module a packed file has: usually those that occur in the trace.
 *
 * A packed file with a part of the functions has the section .spoor_stored, a bit for each local function ID. Such a
 * file names no other function: `rest` of its symbol_file does, which reads other packed files or the original.
 */
#ifndef SPOOR_READER_SYMBOL_SUBSET_H
#define SPOOR_READER_SYMBOL_SUBSET_H

#include <libelf.h>

#include "reader/symbols/symbol_file.h"

#define STORED_SECTION ".spoor_stored"

static inline size_t symbol_subset_words(const struct symbol_file *file)
{
	return ((size_t)file->count + 63) / 64;
}

/* Returns whether the file that was read has the names of @local. */
static inline bool symbol_file_has(const struct symbol_file *file, uint32_t local)
{
	return !file->stored || file->stored[local / 64] >> local % 64 & 1;
}

/* Returns whether a packed file is to have the names of @local. */
static inline bool symbol_file_wants(const struct symbol_file *file, uint32_t local)
{
	return symbol_file_has(file, local) && (!file->wanted || file->wanted[local / 64] >> local % 64 & 1);
}

/* Begins a set of functions that occur in the trace, without any. Returns 0 or -ENOMEM. */
int symbol_subset_begin(struct symbol_file *file);
static inline void symbol_subset_add(struct symbol_file *file, uint32_t local)
{
	if (local < file->count)
		file->wanted[local / 64] |= UINT64_C(1) << local % 64;
}

/* Adds the address of a variable in the file. Returns 0 or -ENOMEM. */
int symbol_subset_add_variable(struct symbol_file *file, uint64_t address);

/* Returns whether a packed file is to have the names of any function or variable, and of all functions. */
bool symbol_subset_wants_any(const struct symbol_file *file);
bool symbol_subset_wants_all(const struct symbol_file *file);

/* Reads the section of an ELF file, if there is one. Returns null, or the error, without a full stop. */
const char *symbol_subset_read(struct symbol_file *file, Elf *elf);

/* Adds another packed file, or with null the original, for functions that @file does not have. Takes @path. Returns 0 or -ENOMEM. */
int symbol_subset_chain(struct symbol_file *file, char *path);

/* Returns the file that names @local: @file itself, or one of its rests. Reads files as needed. */
struct symbol_file *symbol_subset_holder(struct symbol_file *file, uint32_t local);

#endif
