/* SPDX-License-Identifier: MIT */
/*
 * symbol_dwarf.h - names of functions out of debug information, for those that no symbol and no description names.
 *
 * Read by libdw (DWARF 2 to 5; split units where their .dwo files are, which it finds by their IDs; what dwz moved into
 * another file, which is that of the build-id). A function has the name of the subprogram whose entry is its address: what
 * was inlined there has none, nor has a cold part. gcc gives what is local to a unit no linkage name: it is shown
 * without scope and parameters.
 */
#ifndef SPOOR_READER_SYMBOL_DWARF_H
#define SPOOR_READER_SYMBOL_DWARF_H

#include "reader/symbols/symbol_file.h"

/*
 * symbol_dwarf_name - names what nothing else names by the debug information of the file @path, the module's
 * own or its debug file, unless it is of another build.
 *
 * About 0.2 us for each entry of the units that such a function lies in; other units cost a look at their ranges.
 */
void symbol_dwarf_name(struct symbol_file *file, const char *path);

/* Return: null, or what is said where such names are asked for: there was no libdw. */
const char *symbol_dwarf_missing(void);

#endif
