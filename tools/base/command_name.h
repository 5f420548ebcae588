/* SPDX-License-Identifier: MIT */
/* command_name.h - what the kernel calls a process or thread (proc(5), comm). */
#ifndef SPOOR_COMMAND_NAME_H
#define SPOOR_COMMAND_NAME_H

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#define COMMAND_NAME_MAX 16	/* with the NUL, which is a newline in the file */

/* Also of one that has ended and is waited for. @path: its comm file, from @folder. Return: false where there is none;
 * @name is empty then. */
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
