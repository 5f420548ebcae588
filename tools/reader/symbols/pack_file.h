/* SPDX-License-Identifier: MIT */
/* pack_file.h - writes one file of a packed trace, and reads it back. */
#ifndef SPOOR_TOOLS_PACK_FILE_H
#define SPOOR_TOOLS_PACK_FILE_H

#include "reader/symbols/symbol_file.h"

/*
 * pack_file - puts what names the functions of @file at @path, whole or not at all; what is there
 * already and says the same stays.
 * @file: has been read (symbol_file_check)
 *
 * Return: null, or what is wrong, a sentence without its end.
 */
const char *pack_file(struct symbol_file *file, const char *path);

#endif
