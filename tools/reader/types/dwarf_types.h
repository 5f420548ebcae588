/* SPDX-License-Identifier: MIT */
/*
 * dwarf_types.h - reads the types of functions from debug information with libdw (DWARF 2 to 5, also split units, and
 * information that dwz moved).
 *
 * The first call for a function of a unit searches the unit. One thread at a time.
 */
#ifndef SPOOR_READER_DWARF_TYPES_H
#define SPOOR_READER_DWARF_TYPES_H

#include "reader/symbols/symbol_file.h"
#include "reader/types/value_types.h"

/* Opens the debug information in @path, which is the module's own file or its debug file. Returns null without debug
 * information, or if the file belongs to another build. The types stay valid until dwarf_types_close. */
struct dwarf_types *dwarf_types_open(const struct symbol_file *file, const char *path);
void dwarf_types_close(struct dwarf_types *types);

/* Returns the types of the function that begins at this virtual address, or null. @symbol: its linkage name; null:
 * unknown */
const struct function_types *dwarf_types_function(struct dwarf_types *types, uint64_t address, const char *symbol);

#endif
