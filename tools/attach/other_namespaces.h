/* SPDX-License-Identifier: MIT */
/*
 * other_namespaces.h - reaches a process that does not see our files or our network, such as in a container.
 *
 * libspoor.so is passed as memory of the process (memfd_create), by /proc/self/fd. If the process has no /proc, or
 * may not execute such memory, libspoor.so becomes a file in a new directory that is removed at once. The process
 * makes a pair of sockets, and we take one of them (pidfd_getfd) to connect it to the recorder. All calls run in the
 * borrowed thread.
 */
#ifndef SPOOR_TOOLS_ATTACH_OTHER_NAMESPACES_H
#define SPOOR_TOOLS_ATTACH_OTHER_NAMESPACES_H

#include "attach/inject/inject.h"
#include "attach/recorder_door.h"

/* Our file in the process, until the library is loaded. */
struct attach_copy {
	char path[64];		/* the path that the process opens */
	int place, directory;	/* the parent directory and the file's directory; -1: it is memory */
	char name[32];		/* of the directory */
	int64_t memory_fd;	/* the process's descriptor; -1: none */
};

/*
 * attach_copy_begin - puts a copy of @library where the process can open it.
 * @attempt: 0 for memory, 1 for a file
 *
 * Returns 0, or a negative errno if this attempt does not work.
 */
int attach_copy_begin(struct attach_copy *copy, struct inject *inject, const struct target *target, const char *library,
		      int attempt);
void attach_copy_end(struct attach_copy *copy, struct inject *inject, const struct target *target);

/*
 * attach_door - makes a second connection to the recorder, and opens the recorder's end.
 * @name: the recorder's name in RECORDER_NAME_BYTES; the door is appended
 * @fd:   receives the process's descriptor, which libspoor.so closes at the end of the recording
 *
 * Returns 0 or a negative errno.
 */
int attach_door(struct inject *inject, const struct target *target, const struct recorder_door *door, char *name,
		int64_t *fd);

/* Closes a descriptor of the process. */
void attach_close(struct inject *inject, const struct target *target, int64_t fd);

#endif
