/* SPDX-License-Identifier: MIT */
/*
 * symbol_places.h - finds the source places of a module's functions: from the pass's records, or from
 * the line tables of its file or of the debug file with its build-id.
 */
#ifndef SPOOR_READER_SYMBOL_PLACES_H
#define SPOOR_READER_SYMBOL_PLACES_H

#include "reader/symbols/symbol_file.h"

struct symbol_place {
	char *path;		/* absolute if known; null: the function's place is unknown */
	uint32_t line;		/* 0: unknown */
};

/* The caller frees the path. The line tables are read once, when first needed. */
struct symbol_place symbol_file_place(struct symbol_file *file, uint32_t local);

/* Returns the place that the pass recorded; null gives an unknown place. */
struct symbol_place described_place(const struct unit_symbol *symbol);

void symbol_places_free(struct symbol_file *file);

#endif
