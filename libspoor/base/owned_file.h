/* SPDX-License-Identifier: MIT */
/*
 * owned_file.h - a file that is ours in a process that may close or reuse any
 * descriptor: daemons close all of them, shells put their own where ours were.
 */
#ifndef SPOOR_TRACE_FILE_H
#define SPOOR_TRACE_FILE_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

struct spoor_trace_file {
	int fd;
	dev_t device;
	ino_t inode;
	char path[PATH_MAX + 32];	/* "" where it is not to be reached by one */
	char elsewhere[32];		/* its name then */
};

/*
 * spoor_trace_file_come_from - who opens files from now on that have no path in this process.
 * @open: returns a descriptor of the file named @name, made if it is missing, or a negative errno; null: all
 *        files have paths here
 */
void spoor_trace_file_come_from(int (*open)(const char *name));

/*
 * spoor_trace_file_create - a new, private file, on a descriptor out of the way.
 *
 * Return: 0, or a negative errno of open, fstat or the recorder.
 */
int spoor_trace_file_create(struct spoor_trace_file *file, const char *folder, const char *name);

/* The descriptor, opened again where it is no longer the file's; or a negative errno. */
int spoor_trace_file_fd(struct spoor_trace_file *file);

/*
 * spoor_trace_file_populate - puts memory and disk behind a part of the file, which can then be
 * written to where it is mapped. Touching a page of a full file system would be a SIGBUS.
 * @map: where the file's beginning is mapped; @offset, @bytes: widened to whole pages
 *
 * Return: 0 or a negative errno.
 */
int spoor_trace_file_populate(struct spoor_trace_file *file, void *map, uint64_t offset, uint64_t bytes);

/* Closes the descriptor if it is still the file's. */
void spoor_trace_file_close(struct spoor_trace_file *file);

#endif
