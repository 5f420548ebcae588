/* SPDX-License-Identifier: MIT */
/*
 * installed_paths.h - finds the files of spoor that its programs need: the runtime, the stub, the
 * plugin.
 *
 * A program in a build tree uses the parts of that tree only. An installed program uses the parts
 * beside it, even if the prefix was moved or staged. The configured directories are the last resort.
 */
#ifndef SPOOR_TOOLS_BASE_INSTALLED_PATHS_H
#define SPOOR_TOOLS_BASE_INSTALLED_PATHS_H

#include <stddef.h>

enum spoor_part {
	SPOOR_PART_RUNTIME,	/* libspoor.so */
	SPOOR_PART_ARCHIVE,	/* libspoor.a */
	SPOOR_PART_TRAP,	/* libspoor_trap.so */
	SPOOR_PART_STUB,	/* libspoor_dso.a */
	SPOOR_PART_STUB_OTHER,	/* libspoor_dso.a for the other architecture */
	SPOOR_PART_RUNTIME_OTHER,	/* libspoor.so for the other architecture; optional */
	SPOOR_PART_HEADERS,	/* the folder that holds spoor.h alone, for the drivers */
	SPOOR_PART_PLUGIN,	/* libspoor_instrumentation.so, for the configured LLVM */
	SPOOR_PART_PLUGIN_14,	/* the plugin for other versions of LLVM, if they were found */
	SPOOR_PART_PLUGIN_19,
	SPOOR_PART_PLUGIN_22,
	SPOOR_PART_COUNT
};

/*
 * spoor_part_path - finds a part, as an absolute path.
 * @path: receives the path; with -ENOENT, the path where the part should be
 * @size: bytes at @path; PATH_MAX is enough
 *
 * Returns 0, or
 *   -ENOENT        the part does not exist (not built, or not installed)
 *   -ENAMETOOLONG  the path does not fit
 *   any other negative errno of readlink(2) on /proc/self/exe; @path is empty
 */
int spoor_part_path(enum spoor_part part, char *path, size_t size);

/*
 * spoor_gcc_plugin_path - finds the plugin for a GCC, as spoor_part_path does.
 * @major:   its version
 * @machine: the architecture that it compiles for, as in "x86_64"; longer names of machines begin with it
 */
int spoor_gcc_plugin_path(int major, const char *machine, char *path, size_t size);

/*
 * spoor_part_path_from - the same, for a program at the path @program.
 * @program: absolute path of an executable
 */
int spoor_part_path_from(const char *program, enum spoor_part part, char *path, size_t size);

#endif
