/* SPDX-License-Identifier: MIT */
/* symbol_tables.h - writes the symbol tables of a module's file. */
#ifndef SPOOR_TOOLS_SYMBOL_TABLES_H
#define SPOOR_TOOLS_SYMBOL_TABLES_H

#include "reader/packed/elf_writer.h"
#include "reader/symbols/symbol_functions.h"

/*
 * symbol_tables_put - writes the wanted symbols of one table of the module, and its string table.
 * @elf:  the module
 * @type: SHT_DYNSYM, or SHT_SYMTAB, which also has the names that only a debug file or debug information has
 */
void symbol_tables_put(const struct symbol_file *file, struct elf_writer *out, Elf *elf, GElf_Word type);

/* Writes the dynamic symbols of a library whose calls were recorded: each keeps its number. */
void symbol_tables_put_numbered(const struct symbol_file *file, struct elf_writer *out);

#endif
