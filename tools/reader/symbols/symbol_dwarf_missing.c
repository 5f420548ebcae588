/* SPDX-License-Identifier: MIT */
/* symbol_dwarf_missing.c - replaces symbol_dwarf.c in a build without libdw. */
#include "reader/symbols/symbol_dwarf.h"

const char *symbol_dwarf_missing(void)
{
	return "this spoor was built without libdw: apt-get install libdw-dev, then build spoor again";
}

void symbol_dwarf_name(struct symbol_file *file, const char *path)
{
	(void)file, (void)path;
}
