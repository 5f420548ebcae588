/* SPDX-License-Identifier: MIT */
/*
 * process_homes.h - folders of the trace for processes that do not see it, and what is kept of
 * processes whose files are others than ours.
 *
 * Their root directories and name spaces stay open until the recording ends: the container may be
 * gone by then, and what names its modules' functions is put into the trace.
 *
 * All functions are for one thread at a time.
 */
#ifndef SPOOR_RECORDER_HOMES_H
#define SPOOR_RECORDER_HOMES_H

#include <limits.h>
#include <sys/types.h>

struct recorder_homes {
	int trace;			/* the directory; -1: nobody gets a folder */
	char path[PATH_MAX];		/* its own */
	struct home *homes;
	struct container *containers;
};

/* Return: 0 or a negative errno. */
int recorder_homes_begin(struct recorder_homes *homes, const char *trace_path);

/*
 * recorder_homes_make - a folder for a process.
 * @folder: PATH_MAX bytes for its path
 *
 * Return: 0 or a negative errno.
 */
int recorder_homes_make(struct recorder_homes *homes, pid_t process_id, char *folder);

/*
 * recorder_homes_file - makes a file in such a folder, or opens it again.
 * @path: "FOLDER/FILE", from the process: of its own folders, and a file of a trace
 *
 * Return: a descriptor or a negative errno.
 */
int recorder_homes_file(struct recorder_homes *homes, pid_t process_id, const char *path);

/* Whether that folder was made for the process; then nobody else is to make files in it. */
int recorder_homes_is_made(const struct recorder_homes *homes, pid_t process_id, const char *folder);

/* A process writes to this folder: keeps its root, where that is another one. */
void recorder_homes_came(struct recorder_homes *homes, pid_t process_id, const char *folder);

/* Puts into the trace what names the functions of other files than ours, and frees everything. */
void recorder_homes_end(struct recorder_homes *homes);

#endif
