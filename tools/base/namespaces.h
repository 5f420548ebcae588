/* SPDX-License-Identifier: MIT */
/* namespaces.h - what another process sees otherwise than we do. What may not be looked at is as ours. */
#ifndef SPOOR_TOOLS_NAMESPACES_H
#define SPOOR_TOOLS_NAMESPACES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether its name space of this kind ("mnt", "pid", "net", "user") is another one. */
bool namespaces_differ(pid_t process_id, const char *kind);

/* Those that are, "mnt,pid"; "" for none. */
void namespaces_list(pid_t process_id, char *text, size_t size);

/* The path of its root directory where that is another one than "/"; else, or where that is not told, "". */
void namespaces_root(pid_t process_id, char root[PATH_MAX]);

/*
 * Where to open a file that its maps name so: they do that from our root directory where both are in one name
 * space, and from the name space's own else.
 * @process: its folder in /proc
 */
#define NAMESPACES_PATH_MAX (PATH_MAX + 96)
void namespaces_mapped_file(const char *process, const char *mapped, char path[NAMESPACES_PATH_MAX]);

/* Whether its root directory is another one, or in another name space: paths may mean other files. */
bool namespaces_other_files(pid_t process_id);

/* Whether a path is the same file there. */
bool namespaces_same_file(pid_t process_id, const char *path);

/* How far its monotonic clock is before ours, in nanoseconds. */
int64_t namespaces_steady_ahead(pid_t process_id);

/* What process or thread /proc/@path is called in its own name space; -1 where that is not told. */
pid_t namespaces_inner_id(const char *path);
pid_t namespaces_inner_process(pid_t process_id);

#endif
