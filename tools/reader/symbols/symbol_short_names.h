/* SPDX-License-Identifier: MIT */
/*
 * symbol_short_names.h - gives the functions of a module short names (names/short_name.h) that differ.
 *
 * If several functions of the module have the same short name, each gets the shortest addition that
 * distinguishes it: its parameters, else its whole name, else its kind of constructor or its place, else
 * its number. Functions without calls count too, so a function has the same name in every output and in
 * every trace.
 */
#ifndef SPOOR_READER_SYMBOL_SHORT_NAMES_H
#define SPOOR_READER_SYMBOL_SHORT_NAMES_H

#include "reader/symbols/symbol_file.h"

/* From now on short names are the whole names. Called before any thread reads names. */
void symbol_short_names_turn_off(void);

/*
 * symbol_file_short_name - returns the short name of function @local.
 *
 * The first call for a module makes the short names of all its functions, about 5 us each. The string
 * belongs to @file and is never null.
 */
const char *symbol_file_short_name(struct symbol_file *file, uint32_t local);

/* Frees the short names. Called by symbol_file_free. */
void symbol_short_names_free(struct symbol_file *file);

#endif
