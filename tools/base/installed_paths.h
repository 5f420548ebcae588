/* SPDX-License-Identifier: MIT */
/*
 * installed_paths.h - where the parts of spoor are that one of its programs needs.
 *
 * A program that runs from a build tree uses that tree's parts and no others;
 * one that is installed uses those beside it, wherever the prefix was moved to
 * or staged; the configured directories are the last resort.
 */
#ifndef SPOOR_PATHS_H
#define SPOOR_PATHS_H

#include <stddef.h>

enum spoor_part {
	SPOOR_PART_RUNTIME,	/* libspoor.so */
	SPOOR_PART_ARCHIVE,	/* libspoor.a */
	SPOOR_PART_TRAP,	/* libspoor_trap.so */
	SPOOR_PART_STUB,	/* libspoor_dso.a */
	SPOOR_PART_STUB_OTHER,	/* the same for the other architecture, */
	SPOOR_PART_RUNTIME_OTHER,	/* and its libspoor.so, where somebody put it there */
	SPOOR_PART_HEADERS,	/* the folder with spoor.h, and nothing else, for the drivers */
	SPOOR_PART_PLUGIN,	/* libspoor_instrumentation.so, for the configured LLVM */
	SPOOR_PART_PLUGIN_14,	/* the same for other ones, where they were found */
	SPOOR_PART_PLUGIN_19,
	SPOOR_PART_PLUGIN_22,
	SPOOR_PART_COUNT
};

/*
 * spoor_part_path - finds a part, as an absolute path.
 * @path: gets the path; with -ENOENT it names the place where the part should be
 * @size: bytes at @path; PATH_MAX is enough
 *
 * Return: 0, or
 *   -ENOENT        the part is not there (not built, or not installed)
 *   -ENAMETOOLONG  the path does not fit
 *   any other negative errno of readlink(2) on /proc/self/exe; @path is empty
 */
int spoor_part_path(enum spoor_part part, char *path, size_t size);

/*
 * spoor_part_path_from - the same, for a program that is at @program.
 * @program: absolute path of an executable
 */
int spoor_part_path_from(const char *program, enum spoor_part part, char *path, size_t size);

#endif
