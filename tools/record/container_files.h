/* SPDX-License-Identifier: MIT */
/*
 * container_files.h - copies of what is to be preloaded, at the same path below another root, for as
 * long as a recording lasts.
 */
#ifndef SPOOR_TOOLS_CONTAINER_FILES_H
#define SPOOR_TOOLS_CONTAINER_FILES_H

struct container_files;

/*
 * container_files_begin - puts @paths (absolute, null at the end) where a process whose root
 * directory is @root finds them. What is there already and the same stays.
 *
 * Return: 0, or a negative errno, which has been said.
 */
int container_files_begin(struct container_files **files, const char *root, const char *const *paths);

/* Removes what was put there, and the directories that were made for it. Takes null. */
void container_files_end(struct container_files *files);

#endif
