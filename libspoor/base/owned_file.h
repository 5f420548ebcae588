/* SPDX-License-Identifier: MIT */
/*
 * owned_file.h - keeps files open in a process that may close or reuse any descriptor.
 *
 * Daemons close all descriptors, and shells move their own descriptors to fixed numbers.
 */
#ifndef SPOOR_OWNED_FILE_H
#define SPOOR_OWNED_FILE_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

struct spoor_owned_file {
	int fd;
	dev_t device;
	ino_t inode;
	char path[PATH_MAX + 32];	/* "" if the file has no path in this process */
	char elsewhere[32];		/* the file's name for the function of spoor_owned_file_set_opener */
};

/*
 * spoor_owned_file_set_opener - sets the function that opens files without a path in this process.
 * @open: opens the file @name, creates it if it is missing, and returns a descriptor or a negative
 *        errno; null: all files have paths in this process
 */
void spoor_owned_file_set_opener(int (*open)(const char *name));

/*
 * spoor_owned_file_create - creates a private file, on a descriptor with a high number.
 *
 * Return: 0, or a negative errno of open, fstat or the recorder.
 */
int spoor_owned_file_create(struct spoor_owned_file *file, const char *folder, const char *name);

/* Returns the descriptor, after opening the file again if the program closed or reused it; or a negative errno;
 * -ESTALE if another file has the path now. */
int spoor_owned_file_fd(struct spoor_owned_file *file);

/*
 * spoor_owned_file_populate - allocates memory and disk space for a mapped part of the file.
 * @map:            where the beginning of the file is mapped
 * @offset, @bytes: the part of the file; widened to whole pages
 *
 * Afterwards the part can be written in memory. Without it, a write raises SIGBUS if the disk is full.
 *
 * Return: 0 or a negative errno.
 */
int spoor_owned_file_populate(struct spoor_owned_file *file, void *map, uint64_t offset, uint64_t bytes);

/* Closes the descriptor if it is still the file's. */
void spoor_owned_file_close(struct spoor_owned_file *file);

#endif
