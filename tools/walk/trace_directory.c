/* SPDX-License-Identifier: MIT */
/* trace_directory.c - creates the directory of a new trace. */
#include "walk/trace_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/count_format.h"
#include "base/message.h"
#include "format/order_format.h"
#include "format/sched_format.h"
#include "reader/symbols/symbol_pack.h"
#include "reader/files/trace_reader.h"
#include "reader/files/version0.h"

#define OLD_MAX 100000

struct content {
	size_t processes, others;
};

/* Returns 0 or a negative errno. */
static int examine_directory(const char *path, struct content *content)
{
	DIR *listing = opendir(path);
	struct dirent *item;

	*content = (struct content){ 0 };
	if (!listing)
		return -errno;
	while ((item = readdir(listing))) {
		if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0)
			continue;
		if (trace_is_process_folder(dirfd(listing), item->d_name) || version0_is_name(item->d_name))
			content->processes++;
		else if (strcmp(item->d_name, SYMBOL_PACK_FOLDER) != 0 && strcmp(item->d_name, SPOOR_SCHED_FILE) != 0)
			content->others++;
	}
	closedir(listing);
	return 0;
}

bool trace_directory_is_empty(const char *path)
{
	struct content content;

	return examine_directory(path, &content) == 0 && !content.processes;
}

/* The new path of an older trace that was renamed; null: there was none. */
static char *old_trace;

/* Removes a directory that has no processes. */
static int remove_directory(const char *path)
{
	char file[PATH_MAX];

	if (snprintf(file, sizeof(file), "%s/" SPOOR_SCHED_FILE, path) < (int)sizeof(file))
		unlink(file);
	return rmdir(path);
}

/* The locked directory. While it is open, no other directory gets its inode number. */
static int locked = -1;

bool trace_directory_is_ours(const char *path)
{
	struct stat made, there;

	if (locked < 0 || fstat(locked, &made))
		return true;
	return stat(path, &there) == 0 && there.st_dev == made.st_dev && there.st_ino == made.st_ino;
}

void trace_directory_discard(const char *path)
{
	if (!trace_directory_is_ours(path) || remove_directory(path) || !old_trace)
		return;
	if (!renameat2(AT_FDCWD, old_trace, AT_FDCWD, path, RENAME_NOREPLACE))
		message("the older trace was renamed back to %s", path);
	free(old_trace);
	old_trace = NULL;
}

/* Renames an older trace to the first unused name. */
static int keep_aside(const char *path)
{
	for (unsigned int number = 0; number < OLD_MAX; number++) {
		char *aside;
		int error = 0;

		if ((number ? asprintf(&aside, "%s.old.%u", path, number) : asprintf(&aside, "%s.old", path)) < 0)
			return -ENOMEM;
		if (renameat2(AT_FDCWD, path, AT_FDCWD, aside, RENAME_NOREPLACE))
			error = -errno;
		if (!error) {
			message("the older trace was renamed to %s", aside);
			free(old_trace);
			old_trace = aside;
			return 0;
		}
		free(aside);
		if (error != -EEXIST)
			return error;
	}
	return -EEXIST;
}

/*
 * Locks a directory as long as the file is open, so that other recorders know that it is in use.
 * Without effect if the file system has no such locks.
 * @file: receives the descriptor; negative if there is none
 *
 * Returns 0, or -EBUSY after a message.
 */
static int lock_directory(const char *path, int *file)
{
	*file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*file < 0 || flock(*file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	close(*file);
	*file = -1;
	message("%s: another spoor record is writing this trace: choose another place with -o; for a parallel job use "
		"'spoor record mpirun ...'", path);
	return -EBUSY;
}

/* Renames, keeps or rejects what exists at @path. Returns 0 or a negative errno after a message. */
static int clear_the_way(const char *path)
{
	struct content content;
	int error = examine_directory(path, &content), file;

	if (error == -ENOENT)
		return 0;
	if (error == -ENOTDIR) {
		message("%s: is a file: choose another place for the trace with -o", path);
		return error;
	}
	if (!error && content.others) {
		message("%s: not a trace, and not empty: choose another place for the trace with -o", path);
		return -ENOTEMPTY;
	}
	if (lock_directory(path, &file))
		return -EBUSY;
	if (!error && content.processes)
		error = keep_aside(path);
	else if (!error && remove_directory(path))
		error = -errno;
	if (file >= 0)
		close(file);
	if (error)
		message("%s: cannot rename the older trace: %s", path, strerror(-error));
	return error;
}

int trace_directory_make(const char *path, char *absolute, size_t size)
{
	char plain[PATH_MAX], resolved[PATH_MAX];
	size_t length = strlen(path);
	int error;

	if (locked >= 0)
		close(locked);
	locked = -1;
	if (length >= sizeof(plain)) {
		message("%.40s...: the path is too long for a trace", path);
		return -ENAMETOOLONG;
	}
	strcpy(plain, path);
	while (length > 1 && plain[length - 1] == '/')
		plain[--length] = '\0';
	error = clear_the_way(plain);
	if (error)
		return error;
	if (mkdir(plain, 0700) || !realpath(plain, resolved)) {
		error = -errno;
		message("%s: cannot create the directory of the trace: %s", plain, strerror(-error));
		return error;
	}
	error = lock_directory(plain, &locked);
	if (error)
		return error;
	if (strlen(resolved) >= size) {
		message("%s: the path is too long for a trace", resolved);
		trace_directory_discard(plain);
		return -ENAMETOOLONG;
	}
	strcpy(absolute, resolved);
	return 0;
}

/* Removes the events in a process's folder; and the whole folder, unless it holds counts or an order, which exist
 * nowhere else. Returns 0 or a negative errno. */
static int remove_folder(int directory, const char *name)
{
	static const char *const files[] = { SPOOR_EVENTS_FILE, SPOOR_POOL_FILE, SPOOR_PROCESS_FILE };
	int folder = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), error = 0;
	bool stays;

	if (folder < 0)
		return -errno;
	stays = faccessat(folder, SPOOR_COUNTS_FILE, F_OK, 0) == 0 || faccessat(folder, SPOOR_ORDER_FILE, F_OK, 0) == 0;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files) - stays; i++) {
		if (unlinkat(folder, files[i], 0) && errno != ENOENT)
			error = -errno;
	}
	close(folder);
	if (!error && !stays && unlinkat(directory, name, AT_REMOVEDIR))
		error = -errno;
	return error;
}

int trace_directory_remove_folders(const char *path)
{
	DIR *listing = opendir(path);
	struct dirent *item;
	bool is_there = false;
	int error = 0;

	if (!listing)
		return -errno;
	while ((item = readdir(listing)))
		is_there |= version0_is_name(item->d_name);
	rewinddir(listing);
	while (is_there && (item = readdir(listing))) {
		if (item->d_name[0] != '.' && trace_is_process_folder(dirfd(listing), item->d_name)) {
			int failed = remove_folder(dirfd(listing), item->d_name);

			error = failed ? failed : error;
		}
	}
	closedir(listing);
	return error;
}
