/* SPDX-License-Identifier: MIT */
/* dwarf_entries.c - what the readers of names and of types share when they read debug information. */
#include "reader/symbols/dwarf_entries.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <string.h>

#include "reader/symbols/debug_files.h"

/* A function in several pieces begins at the first one. */
bool dwarf_subprogram_entry(Dwarf_Die *die, Dwarf_Addr *entry)
{
	Dwarf_Addr base, end;

	/* A concrete instance has an address; its abstract origin has no address. */
	if (dwarf_hasattr(die, DW_AT_entry_pc) || dwarf_hasattr(die, DW_AT_low_pc))
		return dwarf_entrypc(die, entry) == 0;
	return dwarf_hasattr(die, DW_AT_ranges) && dwarf_ranges(die, 0, &base, entry, &end) > 0;
}

bool dwarf_may_hold_functions(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram: case DW_TAG_lexical_block: case DW_TAG_namespace: case DW_TAG_module:
	case DW_TAG_class_type: case DW_TAG_structure_type: case DW_TAG_union_type: case DW_TAG_interface_type:
		return true;
	default:
		return false;
	}
}

const char *dwarf_find_shared(Dwarf *dwarf, Dwarf **alt, int *fd)
{
	const void *id, *found_id;
	const char *name;
	ssize_t bytes = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);
	Dwarf *found;

	if (bytes <= 0)
		return NULL;
	*fd = debug_files_open_by_build_id(id, (size_t)bytes, ".debug");
	*alt = *fd < 0 ? NULL : dwarf_begin(*fd, DWARF_C_READ);
	if (*alt)
		dwarf_setalt(dwarf, *alt);
	found = dwarf_getalt(dwarf);
	if (!found)
		return "the file of dwz with the names is missing";
	if (dwelf_elf_gnu_build_id(dwarf_getelf(found), &found_id) != bytes || memcmp(id, found_id, (size_t)bytes) != 0)
		return "the file of dwz with the names belongs to another build: its build-id differs";
	return NULL;
}
