/* SPDX-License-Identifier: MIT */
/* dwarf_types_missing.c - replaces dwarf_types.c in a build without libdw. */
#include "reader/types/dwarf_types.h"

struct dwarf_types *dwarf_types_open(const struct symbol_file *file, const char *path)
{
	(void)file, (void)path;
	return NULL;
}

void dwarf_types_close(struct dwarf_types *types)
{
	(void)types;
}

const struct function_types *dwarf_types_function(struct dwarf_types *types, uint64_t address, const char *symbol)
{
	(void)types, (void)address, (void)symbol;
	return NULL;
}
