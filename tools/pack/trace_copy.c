/* SPDX-License-Identifier: MIT */
/* trace_copy.c - copies the files of a trace to another directory. */
#include "pack/trace_copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "format/sched_format.h"

#define CHUNK (1 << 20)	/* bytes */

/* Copies the bytes [at, end). Returns 0, or a negative errno. */
static int copy_range(int from, int to, off_t at, off_t end)
{
	static char bytes[CHUNK];

	while (at < end) {
		ssize_t got = pread(from, bytes, end - at < CHUNK ? (size_t)(end - at) : CHUNK, at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : 0;	/* a file that became shorter is not an error */
		for (ssize_t done = 0; done < got;) {
			ssize_t put = pwrite(to, bytes + done, (size_t)(got - done), at + done);

			if (put < 0 && errno == EINTR)
				continue;
			if (put <= 0)
				return put ? -errno : -EIO;
			done += put;
		}
		at += got;
	}
	return 0;
}

static int copy_content(int from, int to)
{
	struct stat status;
	off_t at = 0, end;
	int error = 0;

	if (fstat(from, &status) < 0)
		return -errno;
	while (!error && at < status.st_size) {
		at = lseek(from, at, SEEK_DATA);
		if (at < 0)
			break;		/* a hole up to the end */
		end = lseek(from, at, SEEK_HOLE);
		if (end < 0)
			return -errno;
		error = copy_range(from, to, at, end);
		at = end;
	}
	if (!error && ftruncate(to, status.st_size) < 0)
		error = -errno;
	return error;
}

static int copy_file(int from_folder, int to_folder, const char *name)
{
	int from = openat(from_folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int to = from < 0 ? -1 : openat(to_folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int error = to < 0 ? -errno : copy_content(from, to);

	if (from >= 0)
		close(from);
	if (to >= 0 && close(to) < 0 && !error)
		error = -errno;
	return error;
}

/* Copies the regular files of a directory. Closes @from. Returns 0, or a negative errno. */
static int copy_files(int from, int to)
{
	DIR *listing = from < 0 ? NULL : fdopendir(from);
	struct dirent *item;
	int error = listing ? 0 : -errno;

	while (!error && (errno = 0, item = readdir(listing))) {
		struct stat status;

		if (fstatat(from, item->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode))
			error = copy_file(from, to, item->d_name);
	}
	if (!error)
		error = -errno;
	if (listing)
		closedir(listing);
	else if (from >= 0)
		close(from);
	return error;
}

static int copy_entry(const struct trace *trace, const struct trace_entry *entry, int to)
{
	int error = 0, folder;

	for (size_t i = 0; i < entry->file_count && !error; i++)
		error = copy_file(trace->directory, to, entry->files[i].name);
	if (entry->files)
		return error;
	if (strcmp(entry->name, ".") != 0 && mkdirat(to, entry->name, 0700) < 0)
		return -errno;
	folder = openat(to, entry->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return -errno;
	error = copy_files(openat(trace->directory, entry->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder);
	close(folder);
	return error;
}

int trace_copy(const struct trace *trace, const char *path)
{
	int to = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = to < 0 ? -errno : 0;

	for (size_t i = 0; i < trace->count && !error; i++) {
		error = copy_entry(trace, &trace->entries[i], to);
		if (error)
			message("%s: cannot copy to %s: %s", trace->entries[i].path, path, strerror(-error));
	}
	if (!error && faccessat(trace->directory, SPOOR_SCHED_FILE, F_OK, 0) == 0 && faccessat(to, SPOOR_SCHED_FILE, F_OK, 0)) {
		error = copy_file(trace->directory, to, SPOOR_SCHED_FILE);
		if (error)
			message("%s/" SPOOR_SCHED_FILE ": cannot copy to %s: %s", trace->path, path, strerror(-error));
	}
	if (to >= 0)
		close(to);
	else
		message("%s: %s", path, strerror(-error));
	return error;
}
