/* SPDX-License-Identifier: MIT */
/* files.h - reads the source files below a directory. */
#ifndef FILES_H
#define FILES_H

#include <stddef.h>

struct file {
	char *path;
	char *text;
	size_t length;
};

struct files {
	struct file *list;
	size_t count;
};

/*
 * files_read - reads every source file below @directory, sorted by path.
 *
 * Skips folders whose name begins with '.' or "build".
 *
 * Returns 0, or a negative errno and in @failed the path that failed, which the caller
 * frees.
 */
int files_read(struct files *files, const char *directory, char **failed);
void files_free(struct files *files);

#endif
