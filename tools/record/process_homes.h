/* SPDX-License-Identifier: MIT */
/*
 * process_homes.h - makes folders in the trace for processes that do not see the trace, and keeps the
 * symbols of processes with other files than ours.
 *
 * The root directories and name spaces of these processes stay open until the recording ends, because
 * the container may be gone by then. The names of their modules' functions are then added to the
 * trace.
 *
 * One thread at a time may call these functions.
 */
#ifndef SPOOR_TOOLS_RECORD_PROCESS_HOMES_H
#define SPOOR_TOOLS_RECORD_PROCESS_HOMES_H

#include <limits.h>
#include <sys/types.h>

struct recorder_homes {
	int trace;			/* the trace directory; -1: makes no folders */
	char path[PATH_MAX];		/* of the trace directory */
	struct home *homes;
	struct container *containers;
};

/* Returns 0 or a negative errno. */
int recorder_homes_begin(struct recorder_homes *homes, const char *trace_path);

/*
 * recorder_homes_make - makes a folder for a process.
 * @folder: PATH_MAX bytes for its path
 *
 * Returns 0 or a negative errno.
 */
int recorder_homes_make(struct recorder_homes *homes, pid_t process_id, char *folder);

/*
 * recorder_homes_file - makes a file in such a folder, or opens it again.
 * @path: "FOLDER/FILE", as the process sent it: must be one of its own folders, and a file of a trace
 *
 * Returns a descriptor or a negative errno.
 */
int recorder_homes_file(struct recorder_homes *homes, pid_t process_id, const char *path);

/* Returns whether that folder was made for the process. Then only the recorder makes files in it. */
int recorder_homes_is_made(const struct recorder_homes *homes, pid_t process_id, const char *folder);

/* Notes that a process writes to this folder, and keeps its root if that differs from ours. */
void recorder_homes_came(struct recorder_homes *homes, pid_t process_id, const char *folder);

/* Adds the names of functions from other files than ours to the trace, and frees everything. */
void recorder_homes_end(struct recorder_homes *homes);

#endif
