/* SPDX-License-Identifier: MIT */
/*
 * container_files.h - copies preloaded libraries to the same paths below another root directory, for
 * the time of a recording.
 */
#ifndef SPOOR_TOOLS_CONTAINER_FILES_H
#define SPOOR_TOOLS_CONTAINER_FILES_H

struct container_files;

/*
 * container_files_begin - copies @paths (absolute, null at the end) to the places where a process with
 * the root directory @root finds them. Keeps files that are there and are the same.
 *
 * Returns 0, or a negative errno after a message.
 */
int container_files_begin(struct container_files **files, const char *root, const char *const *paths);

/* Removes the copies and the directories that were made for them. Accepts null. */
void container_files_end(struct container_files *files);

#endif
