/* SPDX-License-Identifier: MIT */
/*
 * symbol_pack.h - writes the part of a module's file that names its functions, as a file of a packed
 * trace: TRACE/symbols/BUILD-ID, or TRACE/symbols/module-ID-HASH, with a hash of its path,
 * for a module without a build-id.
 *
 * It is an ELF file without code. The reader reads it like any module's file, and trusts it as little.
 * It contains the build-id, the function table or unwind table, the pass's records, the symbols of
 * those functions, and the lines of functions without such a record. It includes the contents of a
 * debug file, if names were read from one. After the ELF file, where readers of ELF files do not look,
 * there is a checksum of everything before: otherwise a flipped bit could give a function another
 * function's name.
 */
#ifndef SPOOR_READER_SYMBOL_PACK_H
#define SPOOR_READER_SYMBOL_PACK_H

#include "reader/symbols/symbol_file.h"

#define SYMBOL_PACK_FOLDER "symbols"

/* symbol_pack_path - makes the path of the file in @folder, which the caller frees. Returns 0 or -ENOMEM. */
int symbol_pack_path(const char *folder, const struct symbol_file *file, char **path);

/*
 * symbol_pack - writes this part of the file that the names of @file were read from.
 * @out: an empty file
 *
 * Returns null, or the error, without a full stop: @file has a fault or was replaced, or @out cannot
 * be written.
 */
const char *symbol_pack(struct symbol_file *file, int out);

/* Checks that the file is complete and unchanged. Returns null, or the error, as above. */
const char *symbol_pack_check(int fd);

#endif
