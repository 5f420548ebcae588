/* SPDX-License-Identifier: MIT */
/*
 * symbol_lines.h - where functions were written, as the line table of a packed file (symbol_pack.h).
 *
 * Of those alone that the pass has said nothing of: the section .debug_line, version 4 of DWARF, with
 * a sequence of one row for each of them, where it begins. symbol_places.c reads it as any other.
 */
#ifndef SPOOR_READER_SYMBOL_LINES_H
#define SPOOR_READER_SYMBOL_LINES_H

#include "reader/symbols/symbol_file.h"

/*
 * symbol_lines_make - makes such a section.
 * @file:  has been read
 * @bytes: the caller's to free; null where there is nothing to say
 *
 * Return: 0, -ENOMEM, or -EFBIG.
 */
int symbol_lines_make(struct symbol_file *file, char **bytes, size_t *size);

#endif
