/* SPDX-License-Identifier: MIT */
/* file_bytes.c - reads and writes whole files. */
#include "text/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the first size of the buffer. The size of a pipe is unknown. */
static size_t first_room(const struct stat *status, size_t limit)
{
	size_t room = S_ISREG(status->st_mode) && status->st_size >= 0 ? (size_t)status->st_size + 1 : 65536;

	return room < limit ? room : limit;
}

/* Doubles the buffer, up to the limit. Returns 0, -EFBIG or -ENOMEM. */
static int grow(char **bytes, size_t *room, size_t limit)
{
	size_t more = *room > limit / 2 ? limit : 2 * *room;
	char *grown;

	if (*room == limit)
		return -EFBIG;
	grown = realloc(*bytes, more);
	if (!grown)
		return -ENOMEM;
	*bytes = grown;
	*room = more;
	return 0;
}

static int read_all(int fd, size_t limit, char **bytes, size_t *size)
{
	struct stat status;
	size_t room;
	int error = 0;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	room = first_room(&status, limit);
	*bytes = malloc(room);
	if (!*bytes)
		return -ENOMEM;
	while (error == 0) {
		ssize_t got = read(fd, *bytes + *size, room - *size);

		if (got == 0)
			break;
		if (got < 0)
			error = errno == EINTR ? 0 : -errno;
		else if ((*size += (size_t)got) == room)
			error = grow(bytes, &room, limit);
	}
	return error;
}

int file_bytes_read(const char *path, size_t limit, char **bytes, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), error;

	*bytes = NULL;
	*size = 0;
	if (fd < 0)
		return -errno;
	error = read_all(fd, limit, bytes, size);
	close(fd);
	if (error < 0) {
		free(*bytes);
		*bytes = NULL;
	}
	return error;
}

static int write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0) {
			bytes += written;
			size -= (size_t)written;
		}
	}
	return 0;
}

/* Tells if @fd is a regular file, not a device or pipe. */
static bool is_plain(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

int file_bytes_write(const char *path, const void *bytes, size_t size)
{
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666) : STDOUT_FILENO, error;
	bool plain;

	if (fd < 0)
		return -errno;
	plain = path && is_plain(fd);
	error = write_all(fd, bytes, size);
	/* Some file systems report only in close() that the disk is full. */
	if (path && close(fd) < 0 && error == 0)
		error = -errno;
	if (error < 0 && plain)
		unlink(path);
	return error;
}
