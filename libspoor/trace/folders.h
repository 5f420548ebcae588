/* SPDX-License-Identifier: MIT */
/* folders.h - the files that processes left in a trace directory. */
#ifndef SPOOR_TRACE_FOLDERS_H
#define SPOOR_TRACE_FOLDERS_H

#include <stdint.h>

struct spoor_folder_file {
	const char *path;
	uint64_t bytes;		/* on the disk */
	int64_t modified_s;	/* since 1970 */
};

/*
 * spoor_trace_folders_each - calls @found for each file that a process wrote there.
 *
 * Return: how many (>= 0), or a negative errno of opening the directory.
 */
long spoor_trace_folders_each(const char *trace_path,
			      void (*found)(const struct spoor_folder_file *file, void *context), void *context);

/*
 * spoor_trace_folders_delete - removes the files of processes that ended and
 * wrote nothing since @before_s.
 * @spared: a folder that stays; may be null
 * @bytes:  where the room is returned that this gave back; may be null
 *
 * Folders by other names than a process's, and files that are not spoor's, stay. No
 * link is followed.
 *
 * Return and context: as above; calls the program's malloc.
 */
long spoor_trace_folders_delete(const char *trace_path, const char *spared, int64_t before_s, uint64_t *bytes);

#endif
