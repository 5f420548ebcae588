/* SPDX-License-Identifier: MIT */
/* recorder_door.c - appends a door to a recorder's name. */
#include "attach/recorder_door.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

int recorder_door_name(char *name, unsigned int size, int their_fd, uint64_t inode)
{
	size_t length = strlen(name);
	int printed = snprintf(name + length, size - length, "/%d.%llx", their_fd, (unsigned long long)inode);

	return (size_t)printed < size - length ? 0 : -ENAMETOOLONG;
}
