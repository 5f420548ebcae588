/* SPDX-License-Identifier: MIT */
/* trace_directory.h - creates the directory of a new trace. */
#ifndef SPOOR_TOOLS_WALK_TRACE_DIRECTORY_H
#define SPOOR_TOOLS_WALK_TRACE_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * trace_directory_make - creates the empty directory @path, which only its owner can use.
 * @absolute: receives its absolute path
 *
 * Renames an existing trace to "@path.old". A trace there is removed by trace_directory_done; if something else is
 * there, the new name is "@path.old.1" and so on. Does not touch a directory that is not a trace, or that another
 * spoor record is writing. Locks the new directory (flock) until
 * this process ends or makes another one. Prints a message about errors.
 *
 * Returns 0 or a negative errno.
 */
int trace_directory_make(const char *path, char *absolute, size_t size);

/* Returns whether no process has written to the directory. */
bool trace_directory_is_empty(const char *path);

/* Returns whether it is still the directory that trace_directory_make made, and was not removed or moved. If the
 * directory could not be opened, this is unknown, and the function returns true. */
bool trace_directory_is_ours(const char *path);

/* Removes the directory if it is empty and ours, and restores the trace that trace_directory_make renamed. */
void trace_directory_discard(const char *path);

/* The new trace has events: removes the trace that the renamed one replaces. Prints a message about errors. */
void trace_directory_done(void);

/* Removes the events of version 1 from a trace that also has them in version 0, and the folders that hold nothing
 * else. If there are no events of version 0, perhaps because all were lost, removes nothing. Returns 0 or a
 * negative errno. */
int trace_directory_remove_folders(const char *path);

#endif
