/* SPDX-License-Identifier: MIT */
/* container_root.h - opens paths below the root directory of a container, and copies files there. */
#ifndef SPOOR_TOOLS_CONTAINER_ROOT_H
#define SPOOR_TOOLS_CONTAINER_ROOT_H

/*
 * container_open_below - opens @path like a process with the root directory @root: resolves symbolic
 * links below @root. Adds O_CLOEXEC.
 *
 * Returns a descriptor, or a negative errno: -ENOSYS before Linux 5.6.
 */
int container_open_below(int root, const char *path, int flags);

/* Copies the whole file @from to the current offset of @to. Returns 0 or a negative errno. */
int container_copy(int from, int to);

#endif
