/* SPDX-License-Identifier: MIT */
/*
 * file_window.h - reads a file through one moving buffer.
 *
 * The file is not mapped: the pages of a mapping count as the reader's memory, and a file that shrinks
 * under a mapping kills its reader.
 */
#ifndef SPOOR_READER_FILE_WINDOW_H
#define SPOOR_READER_FILE_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct file_window {
	int fd;
	int error;		/* negative errno of the last failed read */
	uint64_t size;		/* of the file, when it was opened or looked at again */
	uint64_t begin;		/* offset of the buffer in the file */
	size_t bytes;		/* in the buffer */
	size_t capacity;
	size_t ahead;		/* bytes to read at once */
	uint8_t *buffer;
};

/* Returns 0, a negative errno of openat(2) or fstat(2), or -EINVAL if it is not a regular file. */
int file_window_open(struct file_window *window, int directory, const char *name);

void file_window_close(struct file_window *window);

/*
 * file_window_at - gives @bytes bytes of the file from @offset on.
 *
 * Returns their address, which is valid until the next call; null past the end of the file or after a
 * failed read (then `error` is set). The caller may change the bytes.
 */
uint8_t *file_window_at(struct file_window *window, uint64_t offset, size_t bytes);

/* Reads the size of the file again, and empties the buffer. Returns 0 or a negative errno. */
int file_window_again(struct file_window *window);

/* Empties the buffer, so that the next call reads the file again. */
void file_window_forget(struct file_window *window);

/* Limits how much is read at once, and so the buffer's size, unless the caller requests more bytes. */
void file_window_read_ahead(struct file_window *window, size_t bytes);

#endif
