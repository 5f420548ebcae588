/* SPDX-License-Identifier: MIT */
/*
 * file_window.h - a file read through one buffer that moves along.
 *
 * Not mapped: the pages of a mapping count as the reader's memory, and a file
 * that shrinks under a mapping kills its reader.
 */
#ifndef SPOOR_READER_FILE_WINDOW_H
#define SPOOR_READER_FILE_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct file_window {
	int fd;
	int error;		/* negative errno of the last read that failed */
	uint64_t size;		/* of the file when it was opened */
	uint64_t begin;		/* where in the file the buffer lies */
	size_t bytes;		/* in the buffer */
	size_t capacity;
	size_t ahead;		/* so much is read at once */
	uint8_t *buffer;
};

/* Return: 0 or a negative errno of openat(2), fstat(2); -EINVAL for what is no regular file. */
int file_window_open(struct file_window *window, int directory, const char *name);

void file_window_close(struct file_window *window);

/*
 * file_window_at - @bytes bytes of the file from @offset on.
 *
 * Return: where they are until the next call; null past the end of the file or
 * where reading failed (then `error` says so). The bytes may be written to.
 */
uint8_t *file_window_at(struct file_window *window, uint64_t offset, size_t bytes);

/* Looks how large the file is by now, and drops what the buffer holds. Return: 0 or a negative errno. */
int file_window_again(struct file_window *window);

/* Drops what the buffer holds: the next call reads the file again. */
void file_window_forget(struct file_window *window);

/* Reads no more than that at once from now on, and takes no more memory, where no more is asked for. */
void file_window_read_ahead(struct file_window *window, size_t bytes);

#endif
