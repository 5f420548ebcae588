/* SPDX-License-Identifier: MIT */
/* dwarf_type_entries.h - makes types from the entries of debug information, each once. */
#ifndef SPOOR_READER_DWARF_TYPE_ENTRIES_H
#define SPOOR_READER_DWARF_TYPE_ENTRIES_H

#include <elfutils/libdw.h>

#include "reader/files/map64.h"
#include "reader/types/value_types.h"

struct type_entries {
	bool is_x86_64;
	struct type_arena arena;
	struct map64 known;		/* positions in types, from 1, by the address of the entry */
	const struct value_type **types;
	uint32_t count, capacity;
};

/* Returns the type that the attribute DW_AT_type of @die names; null without the attribute, or if memory runs out. */
const struct value_type *type_entries_of(struct type_entries *entries, Dwarf_Die *die);
void type_entries_free(struct type_entries *entries);

#endif
