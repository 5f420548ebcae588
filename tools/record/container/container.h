/* SPDX-License-Identifier: MIT */
/* container.h - spoor record --container: prepares for a program that enters a container, or starts others in one. */
#ifndef SPOOR_TOOLS_RECORD_CONTAINER_H
#define SPOOR_TOOLS_RECORD_CONTAINER_H

#include "record/recorder.h"

struct record_container {
	struct container_files *files;	/* null: no files were copied */
	int inherited_fd;		/* the recorder's door, which the program inherits; 0: none */
};

/*
 * record_container_begin - copies the preloaded libraries below the root, and opens a door of the
 * recorder.
 * @root: "" if only name spaces differ
 * @trap: copies libspoor_trap.so too
 * @name: the recorder's name, which is extended; of RECORDER_NAME_BYTES
 *
 * Returns 0, or an exit status after a message.
 */
int record_container_begin(struct record_container *container, const char *root, bool trap, struct recorder *recorder,
			   char *name);

/* Called after the program has ended. */
void record_container_end(struct record_container *container);

#endif
