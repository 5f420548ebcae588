/* SPDX-License-Identifier: MIT */
/* folders.h - lists and deletes the files of processes in a trace directory. */
#ifndef SPOOR_TRACE_FOLDERS_H
#define SPOOR_TRACE_FOLDERS_H

#include <stdint.h>

struct spoor_folder_file {
	const char *path;
	uint64_t bytes;		/* on the disk */
	int64_t modified_s;	/* since 1970 */
};

/*
 * spoor_trace_folders_for_each - calls @found for each file that a process wrote to the trace.
 *
 * Returns the number of files, or a negative errno of opening the directory.
 */
long spoor_trace_folders_for_each(const char *trace_path,
			      void (*found)(const struct spoor_folder_file *file, void *context), void *context);

/*
 * spoor_trace_folders_delete - removes the files of processes that ended and
 * wrote nothing since @before_s.
 * @spared: a folder that is not deleted; may be null
 * @before_s: seconds since 1970
 * @bytes:  set to the disk space that was freed; may be null
 *
 * Skips folders that are not named for a process, and files that are not spoor's. Follows
 * no links.
 *
 * Return and context: as above; calls the program's malloc.
 */
long spoor_trace_folders_delete(const char *trace_path, const char *spared, int64_t before_s, uint64_t *bytes);

#endif
