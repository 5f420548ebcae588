/* SPDX-License-Identifier: MIT */
/*
 * symbol_lines.h - writes the source places of functions as the line table of a packed file
 * (symbol_pack.h).
 *
 * Only for functions without a record of the pass. The section .debug_line, version 4 of DWARF, has a
 * sequence of one row for each of them, at its begin. symbol_places.c reads it like any other.
 */
#ifndef SPOOR_READER_SYMBOL_LINES_H
#define SPOOR_READER_SYMBOL_LINES_H

#include "reader/symbols/symbol_file.h"

/*
 * symbol_lines_make - makes such a section.
 * @file:  was read
 * @bytes: receives the section, which the caller frees; null if it would be empty
 *
 * Returns 0, -ENOMEM, or -EFBIG.
 */
int symbol_lines_make(struct symbol_file *file, char **bytes, size_t *size);

#endif
