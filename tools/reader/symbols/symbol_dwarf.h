/* SPDX-License-Identifier: MIT */
/*
 * symbol_dwarf.h - reads names of functions from debug information, for functions without a symbol or
 * description.
 *
 * Uses libdw (DWARF 2 to 5). libdw finds split units in .dwo files by their IDs, and the file that dwz
 * shares by its build-id. A function has the name of the subprogram whose entry is its address. So
 * inlined code and cold parts have no names. gcc gives no linkage name to functions
 * that are local to a unit: they are shown without scope and parameters.
 */
#ifndef SPOOR_READER_SYMBOL_DWARF_H
#define SPOOR_READER_SYMBOL_DWARF_H

#include "reader/symbols/symbol_file.h"

/*
 * symbol_dwarf_name - names functions without other names by the debug information of the file @path,
 * which is the module's own or its debug file. Ignores a file of another build.
 *
 * About 0.2 us for each entry of the units that contain such a function. For other units it reads only
 * their ranges.
 */
void symbol_dwarf_name(struct symbol_file *file, const char *path);

/* Returns null, or a message for users who want such names: spoor was built without libdw. */
const char *symbol_dwarf_missing(void);

#endif
