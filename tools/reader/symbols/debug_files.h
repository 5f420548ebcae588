/* SPDX-License-Identifier: MIT */
/*
 * debug_files.h - the files that name what a traced file does not say itself: its debug file, and
 * the traced file where it is not at its path.
 *
 * Where they are looked for is chosen once, on the command line, for all that the program reads.
 * A debug file is known by its build-id; one that .gnu_debuglink names, by its CRC as well.
 */
#ifndef SPOOR_READER_DEBUG_FILES_H
#define SPOOR_READER_DEBUG_FILES_H

#include "reader/symbols/symbol_file.h"

#define DEBUG_FILES_DIRECTORY "/usr/lib/debug"

/* A directory in the place of DEBUG_FILES_DIRECTORY, or after those given before. Return: 0 or a negative errno. */
int debug_files_add_directory(const char *path);

/* A directory that was the root of traced processes. Return: 0 or a negative errno. */
int debug_files_add_root(const char *path);

/* Servers are asked, too (debuginfod.h). Return: null, or why they cannot be, a sentence without its end. */
const char *debug_files_ask_servers(void);

/*
 * debug_files_each_original - calls @try for each place where the traced file may be, apart from the
 * path that the process had it at: below roots, by its build-id, from servers.
 *
 * Return: whether it returned true, which ends the search.
 */
bool debug_files_each_original(struct symbol_file *file, bool (*try)(struct symbol_file *file, const char *path));

/* Opens the file that the directories have for a build-id, "" or ".debug". Return: the caller's to close, or -1. */
int debug_files_open_by_build_id(const uint8_t *build_id, size_t bytes, const char *suffix);

/*
 * debug_files_find - the debug file of @file, whose names have been read from `source`.
 * @ask: servers as well, where that was chosen
 *
 * Says of a file that is there and is another's. Return: its path, which stays; or null.
 */
const char *debug_files_find(struct symbol_file *file, bool ask);

#endif
