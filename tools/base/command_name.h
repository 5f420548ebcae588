/* SPDX-License-Identifier: MIT */
/* command_name.h - reads the name that the kernel gives to a process or thread (proc(5), comm). */
#ifndef SPOOR_COMMAND_NAME_H
#define SPOOR_COMMAND_NAME_H

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#define COMMAND_NAME_MAX 16	/* with the final NUL, which is a newline in the file */

/* Reads the name of a process or thread, also of a zombie. @path: its comm file, relative to @folder. Returns false
 * if the file cannot be read; @name is empty then. */
static inline bool command_name(int folder, const char *path, char name[COMMAND_NAME_MAX])
{
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, name, COMMAND_NAME_MAX);

	if (fd >= 0)
		close(fd);
	name[length > 0 ? length - 1 : 0] = '\0';
	return length > 0;
}

#endif
