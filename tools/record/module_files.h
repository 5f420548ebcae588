/* SPDX-License-Identifier: MIT */
/*
 * module_files.h - holds the files of modules that traced processes have sent, and puts names into the trace for files
 * that are no longer at their path when the recording ends.
 *
 * Such files are those of plug-ins that a program writes to a temporary folder, loads and removes, of libraries that
 * are built again and reloaded, and of libraries in memory (memfd_create(2)).
 */
#ifndef SPOOR_TOOLS_RECORD_MODULE_FILES_H
#define SPOOR_TOOLS_RECORD_MODULE_FILES_H

#include "reader/symbols/symbol_file.h"

struct module_files {
	struct module_file *list;
	unsigned int count;
};

/* Takes the file @fd, which was at @path when its module was loaded. Owns @fd. */
void module_files_add(struct module_files *files, int fd, const char *path);

/* Closes the files. Puts the names of the trace's modules whose file is not at its path into the trace; @trace_path may
 * be null for no trace. */
void module_files_end(struct module_files *files, const char *trace_path);

/*
 * module_file_pack - writes the names of the module's functions to a file in @folder (symbol_pack.h).
 * @fd: of the module's file; if it is of another build, the function writes no file
 *
 * Prints a message about write errors.
 */
void module_file_pack(const struct symbol_file *module, const char *folder, int fd);

#endif
