/* SPDX-License-Identifier: MIT */
/* owned_file.c - keeps files open in a process that may close or reuse any descriptor. */
#define _GNU_SOURCE
#include "base/owned_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mman.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

#define HIGH_DESCRIPTOR 500

/* Moves a descriptor to a high number that programs do not use, or as high as the limit allows. The number from
 * open() may be a standard stream's, if that stream was closed at the start. */
static int move_away(int fd)
{
	for (int number = HIGH_DESCRIPTOR; number > STDERR_FILENO; number /= 2) {
		int moved = fcntl(fd, F_DUPFD_CLOEXEC, number);

		if (moved < 0)
			continue;
		close(fd);
		return moved;
	}
	return fd;
}

static bool is_ours(const struct spoor_owned_file *file)
{
	struct stat status;

	return file->fd >= 0 && fstat(file->fd, &status) == 0 && status.st_dev == file->device &&
	       status.st_ino == file->inode;
}

static int (*open_elsewhere)(const char *name);

void spoor_owned_file_set_opener(int (*open)(const char *name))
{
	open_elsewhere = open;
}

/* Opens a file by its path, or through open_elsewhere. Returns the descriptor, which is also in @file, or a
 * negative errno. */
static int open_file(struct spoor_owned_file *file, int flags)
{
	if (file->path[0]) {
		file->fd = open(file->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
		return file->fd < 0 ? -errno : file->fd;
	}
	file->fd = open_elsewhere ? open_elsewhere(file->elsewhere) : -ENOENT;
	return file->fd;
}

int spoor_owned_file_create(struct spoor_owned_file *file, const char *folder, const char *name)
{
	struct stat status;
	int error;

	file->path[0] = '\0';
	if (!open_elsewhere)
		snprintf(file->path, sizeof(file->path), "%s/%s", folder, name);
	snprintf(file->elsewhere, sizeof(file->elsewhere), "%s", name);
	error = open_file(file, O_CREAT | O_EXCL);
	if (error < 0)
		return error;
	file->fd = move_away(file->fd);
	if (fstat(file->fd, &status) < 0)
		return -errno;
	/* The umask may have taken the owner's bits: the recorder, or a forked child, could not open it. */
	if ((status.st_mode & (S_IRUSR | S_IWUSR)) != (S_IRUSR | S_IWUSR))
		fchmod(file->fd, S_IRUSR | S_IWUSR);
	file->device = status.st_dev;
	file->inode = status.st_ino;
	return 0;
}

int spoor_owned_file_fd(struct spoor_owned_file *file)
{
	int error;

	if (is_ours(file))
		return file->fd;
	error = open_file(file, 0);
	if (error < 0)
		return error;
	if (!is_ours(file)) {
		close(file->fd);
		file->fd = -1;
		return -ESTALE;
	}
	file->fd = move_away(file->fd);
	return file->fd;
}

int spoor_owned_file_populate(struct spoor_owned_file *file, void *map, uint64_t offset, uint64_t bytes)
{
	uint64_t before = offset & (spoor_page_bytes - 1);
	char *begin = (char *)map + offset - before;

	bytes += before;
	offset -= before;
	if (mprotect(begin, bytes, PROT_READ | PROT_WRITE) < 0)
		return -errno;
	if (madvise(begin, bytes, MADV_POPULATE_WRITE) == 0)
		return 0;
	if (errno != EINVAL)
		return errno == EFAULT ? -ENOSPC : -errno;
	/* Linux before 5.14 has no MADV_POPULATE_WRITE. */
	return -posix_fallocate(spoor_owned_file_fd(file), (off_t)offset, (off_t)bytes);
}

void spoor_owned_file_close(struct spoor_owned_file *file)
{
	if (is_ours(file))
		close(file->fd);
	file->fd = -1;
}
