/* SPDX-License-Identifier: MIT */
/* container_files.c - copies preloaded libraries to the same paths below another root directory. */
#define _GNU_SOURCE
#include "record/container/container_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/container_root.h"
#include "base/message.h"

/* A file or directory to remove. It is found by its directory's descriptor, because the directory may have been
 * moved. */
struct made {
	struct made *next;	/* list, the latest first */
	int directory;
	bool is_directory;
	char name[NAME_MAX + 1];
};

struct container_files {
	const char *path;	/* the root, for messages */
	int root;
	struct made *made;
};

/* Notes a new file or directory. Takes ownership of @directory. Returns 0 or -ENOMEM. */
static int note_made(struct container_files *files, int directory, const char *name, bool is_directory)
{
	struct made *made = calloc(1, sizeof(*made));

	if (!made) {
		unlinkat(directory, name, is_directory ? AT_REMOVEDIR : 0);
		close(directory);
		return -ENOMEM;
	}
	made->directory = directory;
	made->is_directory = is_directory;
	snprintf(made->name, sizeof(made->name), "%s", name);
	made->next = files->made;
	files->made = made;
	return 0;
}

/* Opens the directory of @path, and makes it if it is missing. Returns a descriptor or a negative errno. */
static int open_parent(struct container_files *files, const char *path)
{
	char prefix[PATH_MAX];
	int directory = container_open_below(files->root, "/", O_PATH | O_DIRECTORY), error;

	for (const char *at = path + 1, *slash; directory >= 0 && (slash = strchr(at, '/')); at = slash + 1) {
		int next;

		snprintf(prefix, sizeof(prefix), "%.*s", (int)(slash - path), path);
		next = container_open_below(files->root, prefix, O_PATH | O_DIRECTORY);
		if (next == -ENOENT) {
			char name[NAME_MAX + 1];

			snprintf(name, sizeof(name), "%.*s", (int)(slash - at), at);
			error = mkdirat(directory, name, 0755) < 0 ? -errno : note_made(files, directory, name, true);
			if (error < 0) {
				if (error != -ENOMEM)
					close(directory);
				return error;
			}
			next = container_open_below(files->root, prefix, O_PATH | O_DIRECTORY);
		} else {
			close(directory);
		}
		directory = next;
	}
	return directory;
}

static bool is_same(int ours, int theirs)
{
	char left[65536], right[65536];
	struct stat a, b;
	off_t at = 0;

	if (fstat(ours, &a) < 0 || fstat(theirs, &b) < 0 || !S_ISREG(b.st_mode) || a.st_size != b.st_size)
		return false;
	while (at < a.st_size) {
		ssize_t got = pread(ours, left, sizeof(left), at);

		if (got <= 0 || pread(theirs, right, (size_t)got, at) != got || memcmp(left, right, (size_t)got) != 0)
			return false;
		at += got;
	}
	return true;
}

/* Returns 0, -EEXIST if something else is there, or another negative errno. */
static int copy_file(struct container_files *files, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	int ours = open(path, O_RDONLY | O_CLOEXEC), theirs, directory, error;

	if (ours < 0)
		return -errno;
	theirs = container_open_below(files->root, path, O_RDONLY | O_NONBLOCK);
	if (theirs >= 0) {
		error = is_same(ours, theirs) ? 0 : -EEXIST;
		close(theirs);
		close(ours);
		return error;
	}
	directory = theirs == -ENOENT ? open_parent(files, path) : theirs;
	if (directory < 0) {
		close(ours);
		return directory;
	}
	theirs = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
	error = theirs < 0 ? -errno : note_made(files, directory, name, false);
	if (theirs < 0)
		close(directory);
	if (error == 0)
		error = fchmod(theirs, 0755) < 0 ? -errno : container_copy(ours, theirs);
	if (theirs >= 0)
		close(theirs);
	close(ours);
	return error;
}

int container_files_begin(struct container_files **result, const char *root, const char *const *paths)
{
	struct container_files *files = calloc(1, sizeof(*files));
	int error = files ? 0 : -ENOMEM;

	*result = files;
	if (files) {
		files->path = root;
		files->root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		error = files->root < 0 ? -errno : 0;
	}
	if (error) {
		message("--container=%s: %s", root, strerror(-error));
		container_files_end(files);
		*result = NULL;
		return error;
	}
	for (; *paths && !error; paths++) {
		error = copy_file(files, *paths);
		if (error == -EEXIST)
			message("--container=%s: the container has a different %s: remove it, or replace it by a copy "
				"of this version",
				root, *paths);
		else if (error)
			message("--container=%s: cannot copy %s into the container: %s; mount it there, or use 'spoor "
				"record --pid' when the program runs", root, *paths, strerror(-error));
	}
	if (error) {
		container_files_end(files);
		*result = NULL;
	}
	return error;
}

void container_files_end(struct container_files *files)
{
	if (!files)
		return;
	for (struct made *made = files->made, *next; made; made = next) {
		/* A directory stays if another process has put a file into it. */
		if (unlinkat(made->directory, made->name, made->is_directory ? AT_REMOVEDIR : 0) < 0 && errno != ENOENT &&
		    errno != ENOTEMPTY && errno != EEXIST)
			message("--container=%s: cannot remove %s: %s", files->path, made->name, strerror(errno));
		next = made->next;
		close(made->directory);
		free(made);
	}
	if (files->root >= 0)
		close(files->root);
	free(files);
}
