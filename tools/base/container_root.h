/* SPDX-License-Identifier: MIT */
/* container_root.h - opens paths below the root directory of a container, and copies files there. */
#ifndef SPOOR_TOOLS_CONTAINER_ROOT_H
#define SPOOR_TOOLS_CONTAINER_ROOT_H

/*
 * container_open_below - opens @path as a process with the root directory @root does: its
 * symbolic links are resolved below @root. Adds O_CLOEXEC.
 *
 * Return: a descriptor, or a negative errno: -ENOSYS before Linux 5.6.
 */
int container_open_below(int root, const char *path, int flags);

/* Copies all of the file @from to the offset of @to. Returns 0 or a negative errno. */
int container_copy(int from, int to);

#endif
