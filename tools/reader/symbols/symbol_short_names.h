/* SPDX-License-Identifier: MIT */
/*
 * symbol_short_names.h - gives the functions of a module short names (names/short_name.h) that differ.
 *
 * A function whose short name another function of the module has too gets the least that tells them
 * apart: its parameters, then its whole name, then its kind of constructor or its place, then its
 * number. All functions of the module count, not only those that were called, so a function has the
 * same name in every output and in every trace.
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
