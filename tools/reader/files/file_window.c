/* SPDX-License-Identifier: MIT */
/* file_window.c - reads a file through one moving buffer. */
#include "reader/files/file_window.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_BYTES (256u * 1024)

int file_window_open(struct file_window *window, int directory, const char *name)
{
	struct stat status;
	int error;

	*window = (struct file_window){ .fd = -1, .ahead = WINDOW_BYTES };
	/* O_NONBLOCK: opening a FIFO would wait for a writer. */
	window->fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (window->fd < 0)
		return -errno;
	if (fstat(window->fd, &status)) {
		error = -errno;
		goto close_file;
	}
	if (!S_ISREG(status.st_mode)) {
		error = -EINVAL;
		goto close_file;
	}
	window->size = (uint64_t)status.st_size;
	return 0;

close_file:
	close(window->fd);
	window->fd = -1;
	return error;
}

void file_window_close(struct file_window *window)
{
	if (window->fd >= 0)
		close(window->fd);
	free(window->buffer);
	*window = (struct file_window){ .fd = -1 };
}

void file_window_forget(struct file_window *window)
{
	window->bytes = 0;
}

int file_window_again(struct file_window *window)
{
	struct stat status;

	if (fstat(window->fd, &status))
		return -errno;
	window->size = (uint64_t)status.st_size;
	window->bytes = 0;
	return 0;
}

void file_window_read_ahead(struct file_window *window, size_t bytes)
{
	free(window->buffer);
	window->buffer = NULL;
	window->bytes = window->capacity = 0;
	window->ahead = bytes;
}

static int window_fill(struct file_window *window, uint64_t offset, size_t bytes)
{
	size_t wanted = bytes > window->ahead ? bytes : window->ahead;

	if (wanted > window->capacity) {
		uint8_t *buffer = realloc(window->buffer, wanted);

		if (!buffer)
			return -ENOMEM;
		window->buffer = buffer;
		window->capacity = wanted;
	}
	if (wanted > window->size - offset)
		wanted = (size_t)(window->size - offset);
	window->begin = offset;
	window->bytes = 0;
	while (window->bytes < wanted) {
		ssize_t got = pread(window->fd, window->buffer + window->bytes, wanted - window->bytes,
				    (off_t)(offset + window->bytes));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;	/* the file has shrunk since */
		window->bytes += (size_t)got;
	}
	return 0;
}

uint8_t *file_window_at(struct file_window *window, uint64_t offset, size_t bytes)
{
	if (offset > window->size || bytes > window->size - offset)
		return NULL;
	if (offset < window->begin || offset - window->begin > window->bytes ||
	    bytes > window->bytes - (offset - window->begin)) {
		int error = window_fill(window, offset, bytes);

		if (error)
			window->error = error;
		if (error || window->bytes < bytes)
			return NULL;
	}
	return window->buffer + (offset - window->begin);
}
