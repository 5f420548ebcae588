/* SPDX-License-Identifier: MIT */
/*
 * symbol_places.h - where a module's functions were written: as the pass has said it, or
 * by the line tables of its file, or of the debug file that has its build-id.
 */
#ifndef SPOOR_READER_SYMBOL_PLACES_H
#define SPOOR_READER_SYMBOL_PLACES_H

#include "reader/symbols/symbol_file.h"

struct symbol_place {
	char *path;		/* whole, where that is known; null: the function's is not known */
	uint32_t line;		/* 0: not known */
};

/* The caller frees the path. A line table is read once, when it is needed first. */
struct symbol_place symbol_file_place(struct symbol_file *file, uint32_t local);

/* What the pass has said; of null nothing. */
struct symbol_place described_place(const struct unit_symbol *symbol);

void symbol_places_free(struct symbol_file *file);

#endif
