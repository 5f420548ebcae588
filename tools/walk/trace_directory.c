/* SPDX-License-Identifier: MIT */
/* trace_directory.c - creates the directory of a new trace. */
#include "walk/trace_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
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
#include "reader/packed/symbol_pack.h"
#include "reader/files/trace_reader.h"
#include "reader/files/version0.h"

#define OLD_MAX 100000
#define LOCK_TRIES 3
#define LOCK_TRY_US 10000

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

/* The new paths of older traces that were renamed: of the one at the path of the new trace, and of the one that was
 * renamed by an earlier recording. Null: there was none. The latter is removed when the new trace has events. */
static char *old_trace, *older_trace;

static void forget_old_traces(void)
{
	free(old_trace);
	free(older_trace);
	old_trace = older_trace = NULL;
}

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
	if (older_trace)
		renameat2(AT_FDCWD, older_trace, AT_FDCWD, old_trace, RENAME_NOREPLACE);
	forget_old_traces();
}

static int remove_item(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)place;
	return type == FTW_DP ? rmdir(path) : unlink(path);
}

/* Returns whether @path is a trace, and nothing else. */
static bool is_trace(const char *path)
{
	struct content content;
	struct stat status;

	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && examine_directory(path, &content) == 0 &&
	       content.processes && !content.others;
}

/* Removes a trace. Returns 0 or a negative errno. */
static int remove_trace(const char *path)
{
	return nftw(path, remove_item, 16, FTW_DEPTH | FTW_PHYS) ? -errno : 0;
}

void trace_directory_done(void)
{
	int error = older_trace ? remove_trace(older_trace) : 0;

	if (error)
		message("%s: cannot remove the oldest trace: %s", older_trace, strerror(-error));
	forget_old_traces();
}

/* Renames the trace at @aside, which an earlier recording has renamed, to @aside.old until the new trace has events.
 * Returns 0, -EEXIST if a recorder is writing it, or another negative errno. */
static int keep_older_aside(const char *aside)
{
	char *older;
	int error = 0, file = open(aside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_in_use = file >= 0 && flock(file, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;

	if (file >= 0)
		close(file);
	if (is_in_use)
		return -EEXIST;
	if (asprintf(&older, "%s.old", aside) < 0)
		return -ENOMEM;
	/* A recorder that was killed leaves this trace. */
	if (is_trace(older))
		error = remove_trace(older);
	if (!error && renameat2(AT_FDCWD, aside, AT_FDCWD, older, RENAME_NOREPLACE))
		error = -errno;
	if (error) {
		free(older);
		return error;
	}
	older_trace = older;
	return 0;
}

/* Renames an older trace to PATH.old, or to the first name of PATH.old.1 and so on that no other file has. */
static int keep_aside(const char *path)
{
	forget_old_traces();
	for (unsigned int number = 0; number < OLD_MAX; number++) {
		char *aside;
		int error = 0;

		if ((number ? asprintf(&aside, "%s.old.%u", path, number) : asprintf(&aside, "%s.old", path)) < 0)
			return -ENOMEM;
		if (is_trace(aside))
			error = keep_older_aside(aside);
		if (!error && renameat2(AT_FDCWD, path, AT_FDCWD, aside, RENAME_NOREPLACE))
			error = -errno;
		if (!error) {
			message(older_trace ? "the older trace was renamed to %s, and replaces the one there" :
					      "the older trace was renamed to %s", aside);
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
	/* A command that reads the trace looks at the lock for a moment (reader/packed/trace_names.c). */
	for (int i = 0; i < LOCK_TRIES; i++) {
		if (*file < 0 || flock(*file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
			return 0;
		usleep(LOCK_TRY_US);
	}
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
