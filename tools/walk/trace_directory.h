/* SPDX-License-Identifier: MIT */
/* trace_directory.h - the directory that a recording goes to. */
#ifndef SPOOR_TOOLS_TRACE_PLACE_H
#define SPOOR_TOOLS_TRACE_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * trace_directory_make - makes the empty directory @path, for its owner alone.
 * @absolute: gets its absolute path
 *
 * A trace that is there is renamed to "@path.old", or "@path.old.1" and so on.
 * What is no trace, and what another spoor record is writing, is left alone. The directory is
 * locked (flock) until this process ends or makes another. Says what is wrong.
 *
 * Return: 0 or a negative errno.
 */
int trace_directory_make(const char *path, char *absolute, size_t size);

/* Whether no process has written anything there. */
bool trace_directory_is_empty(const char *path);

/* Whether it is still the directory that trace_directory_make made: it may have been removed or moved. Where that could
 * not be opened nobody knows, and it is. */
bool trace_directory_is_ours(const char *path);

/* Removes it if it is empty and ours, and puts back what trace_directory_make renamed. */
void trace_directory_discard(const char *path);

/* Removes the events of version 1 from a trace that has them in version 0 too, and the folders that hold nothing
 * else. Where there are none, all of them lost perhaps, all stays. Return: 0 or a negative errno. */
int trace_directory_remove_folders(const char *path);

#endif
