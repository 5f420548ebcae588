/* SPDX-License-Identifier: MIT */
/* pack_file.h - writes one file of a packed trace, and checks it by reading it. */
#ifndef SPOOR_TOOLS_PACK_FILE_H
#define SPOOR_TOOLS_PACK_FILE_H

#include "reader/symbols/symbol_file.h"

/*
 * pack_file - writes the names of the functions of @file to @path, completely or not at all. An
 * existing file with the same contents stays.
 * @file: was read (symbol_file_check)
 *
 * Returns null, or the error, without a full stop.
 */
const char *pack_file(struct symbol_file *file, const char *path);

#endif
