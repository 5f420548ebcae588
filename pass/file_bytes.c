/* SPDX-License-Identifier: MIT */
/* file_bytes.c - whole files. */
#include "file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX (16u << 20)

int file_bytes_read(const char *path, char **bytes, size_t *size)
{
	struct stat status;
	ssize_t got = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), error = 0;

	*bytes = NULL;
	*size = 0;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0)
		error = -errno;
	else if (S_ISDIR(status.st_mode))
		error = -EISDIR;
	/* What it says of its size may not be so: it may be a pipe. */
	if (error == 0 && !(*bytes = malloc(FILE_BYTES_MAX)))
		error = -ENOMEM;
	while (error == 0 && *size < FILE_BYTES_MAX && (got = read(fd, *bytes + *size, FILE_BYTES_MAX - *size)) != 0) {
		if (got < 0 && errno != EINTR)
			error = -errno;
		else if (got > 0)
			*size += (size_t)got;
	}
	if (error == 0 && *size == FILE_BYTES_MAX)
		error = -EFBIG;
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

/* A file, and no device or pipe. */
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
	/* Some file systems tell only then that the disk is full. */
	if (path && close(fd) < 0 && error == 0)
		error = -errno;
	if (error < 0 && plain)
		unlink(path);
	return error;
}
