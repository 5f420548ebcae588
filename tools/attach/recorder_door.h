/* SPDX-License-Identifier: MIT */
/*
 * recorder_door.h - a second connection to a recorder, for a process in other namespaces that cannot reach the
 * recorder's socket: one end of a pair of datagram sockets.
 */
#ifndef SPOOR_TOOLS_RECORDER_DOOR_H
#define SPOOR_TOOLS_RECORDER_DOOR_H

#include <stdint.h>

#define RECORDER_NAME_BYTES 108u

struct recorder_door {
	/* Passes its end to the recorder, which then owns @fd. Returns 0 or a negative errno. */
	int (*open)(void *recorder, int fd);
	void *recorder;
};

/*
 * recorder_door_name - appends the door to a recorder's name.
 * @name:     name of recorder_begin; @size: size of the buffer, RECORDER_NAME_BYTES
 * @their_fd: the process's end; @inode: inode of that end
 *
 * Returns 0 or -ENAMETOOLONG.
 */
int recorder_door_name(char *name, unsigned int size, int their_fd, uint64_t inode);

#endif
