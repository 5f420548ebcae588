/* SPDX-License-Identifier: MIT */
/* namespaces.h - compares the name spaces, root directory and clock of another process with ours. If /proc does not
 * allow a look, the functions assume that they are the same. */
#ifndef SPOOR_TOOLS_NAMESPACES_H
#define SPOOR_TOOLS_NAMESPACES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Returns whether the process has another name space of this kind ("mnt", "pid", "net", "user"). */
bool namespaces_differ(pid_t process_id, const char *kind);

/* Writes the kinds of name spaces that differ, such as "mnt,pid"; "" if none does. */
void namespaces_list(pid_t process_id, char *text, size_t size);

/* Writes the path of the process's root directory; "" if that is "/" or unknown. */
void namespaces_root(pid_t process_id, char root[PATH_MAX]);

/*
 * Writes the path at which this process can open a file that the maps of another process name. In the
 * same mount name space, maps name files from our root directory; otherwise, from the root of the
 * other name space.
 * @process: its folder in /proc
 */
#define NAMESPACES_PATH_MAX (PATH_MAX + 96)
void namespaces_mapped_file(const char *process, const char *mapped, char path[NAMESPACES_PATH_MAX]);

/* Returns whether the process has another root directory or mount name space, so that paths may mean other files. */
bool namespaces_other_files(pid_t process_id);

/* Returns whether @path names the same file in the process. */
bool namespaces_same_file(pid_t process_id, const char *path);

/* Returns how far the process's monotonic clock is ahead of ours, in nanoseconds. */
int64_t namespaces_steady_ahead(pid_t process_id);

/* Returns the ID of the process or thread /proc/@path in its own PID name space; -1 if unknown. */
pid_t namespaces_inner_id(const char *path);
pid_t namespaces_inner_process(pid_t process_id);

#endif
