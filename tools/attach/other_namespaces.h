/* SPDX-License-Identifier: MIT */
/*
 * other_namespaces.h - ways into a process that does not see our files or our network: a container's.
 *
 * libspoor.so comes as memory of the process (memfd_create), by /proc/self/fd; where it has no /proc,
 * or may not execute such memory, as a file in a directory of its own that is removed at once.
 * The recorder is reached by a pair of sockets that the process makes, and of which we take one
 * (pidfd_getfd). All calls are for the thread that injects.
 */
#ifndef SPOOR_TOOLS_ATTACH_OTHER_NAMESPACES_H
#define SPOOR_TOOLS_ATTACH_OTHER_NAMESPACES_H

#include "attach/inject.h"
#include "attach/recorder_door.h"

/* What the process has of us for as long as it takes to load the library. */
struct attach_copy {
	char path[64];		/* by which the process opens it */
	int place, directory;	/* where the file's directory is, and that; -1: it is memory */
	char name[32];		/* of the directory */
	int64_t memory_fd;	/* the process's descriptor of it; -1 */
};

/*
 * attach_copy_begin - puts a copy of @library where the process can open it.
 * @attempt: 0 for memory, 1 for a file
 *
 * Return: 0, or a negative errno: this way is none.
 */
int attach_copy_begin(struct attach_copy *copy, struct inject *inject, const struct target *target, const char *library,
		      int attempt);
void attach_copy_end(struct attach_copy *copy, struct inject *inject, const struct target *target);

/*
 * attach_door - makes a second way to the recorder, and opens its end.
 * @name: the recorder's, of RECORDER_NAME_BYTES; the door is appended
 * @fd:   the process's descriptor, which libspoor.so closes at the end of the recording
 *
 * Return: 0 or a negative errno.
 */
int attach_door(struct inject *inject, const struct target *target, const struct recorder_door *door, char *name,
		int64_t *fd);

/* Closes a descriptor of the process. */
void attach_close(struct inject *inject, const struct target *target, int64_t fd);

#endif
