/* SPDX-License-Identifier: MIT */
/*
 * debug_files.h - finds the files with names that a traced file itself lacks: its debug file, and the
 * traced file if it is not at its path.
 *
 * The command line chooses the places to look, once for everything that the program reads. A debug
 * file is identified by its build-id; one from .gnu_debuglink, also by its CRC.
 */
#ifndef SPOOR_READER_DEBUG_FILES_H
#define SPOOR_READER_DEBUG_FILES_H

#include "reader/symbols/symbol_file.h"

#define DEBUG_FILES_DIRECTORY "/usr/lib/debug"

/* Adds a directory. The first one replaces DEBUG_FILES_DIRECTORY. Returns 0 or a negative errno. */
int debug_files_add_directory(const char *path);

/* Adds a directory that was the root of traced processes. Returns 0 or a negative errno. */
int debug_files_add_root(const char *path);

/* Lets later searches query servers (debuginfod.h). Returns null, or the reason why that is impossible, without a
 * full stop. */
const char *debug_files_ask_servers(void);

/*
 * debug_files_each_original - calls @try for each other place where the traced file may be: below the
 * roots, by its build-id, from servers. The path that the process used is not among them.
 *
 * Returns whether a call returned true, which ends the search.
 */
bool debug_files_each_original(struct symbol_file *file, bool (*try)(struct symbol_file *file, const char *path));

/* Opens the file for a build-id in the debug directories. @suffix: "" or ".debug". Returns a descriptor, which
 * the caller closes, or -1. */
int debug_files_open_by_build_id(const uint8_t *build_id, size_t bytes, const char *suffix);

/*
 * debug_files_find - finds the debug file of @file, whose names were read from `source`.
 * @ask: queries servers too, if the user chose that
 *
 * Prints a message about a file that belongs to another build. Returns its path, which stays valid; or
 * null.
 */
const char *debug_files_find(struct symbol_file *file, bool ask);

#endif
