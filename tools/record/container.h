/* SPDX-License-Identifier: MIT */
/* container.h - spoor record --container: a program that puts itself, or others, into a container. */
#ifndef SPOOR_TOOLS_RECORD_CONTAINER_H
#define SPOOR_TOOLS_RECORD_CONTAINER_H

#include "record/recorder.h"

struct record_container {
	struct container_files *files;	/* null: none are put anywhere */
	int inherited_fd;		/* for the program: the recorder's door; 0: none */
};

/*
 * record_container_begin - what is to be preloaded is put below the root, and the recorder gets a door.
 * @root: "" where only name spaces are others
 * @trap: libspoor_trap.so as well
 * @name: the recorder's, which gets longer; of RECORDER_NAME_BYTES
 *
 * Return: 0, or an exit status, which has been said.
 */
int record_container_begin(struct record_container *container, const char *root, bool trap, struct recorder *recorder,
			   char *name);

/* Once the program has ended. */
void record_container_end(struct record_container *container);

#endif
