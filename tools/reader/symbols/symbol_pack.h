/* SPDX-License-Identifier: MIT */
/*
 * symbol_pack.h - the part of a module's file that names its functions, as a file of a packed
 * trace: TRACE/symbols/BUILD-ID, or, of a module without one, TRACE/symbols/module-ID.
 *
 * It is an ELF file without code, read as any module's is, and trusted as little: build-id,
 * function table or unwind table, what the pass said, the symbols of those functions, and the lines
 * of those that the pass said nothing of. A debug file's are in it where names were read from one.
 * Behind it, where no reader of ELF files looks, is a checksum of all before: a function that was
 * named by a flipped bit would have another one's name.
 */
#ifndef SPOOR_READER_SYMBOL_PACK_H
#define SPOOR_READER_SYMBOL_PACK_H

#include "reader/symbols/symbol_file.h"

#define SYMBOL_PACK_FOLDER "symbols"

/* symbol_pack_path - where in @folder such a file is; the caller's to free. Return: 0 or -ENOMEM. */
int symbol_pack_path(const char *folder, const struct symbol_file *file, char **path);

/*
 * symbol_pack - writes that part of the file that the names of @file were read from.
 * @out: an empty file
 *
 * Return: null, or what is wrong, a sentence without its end: @file has a fault, is another one by
 * now, or @out cannot be written.
 */
const char *symbol_pack(struct symbol_file *file, int out);

/* Whether the file is as it was written. Return: null, or what is wrong, as above. */
const char *symbol_pack_check(int fd);

#endif
