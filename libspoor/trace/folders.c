/* SPDX-License-Identifier: MIT */
/* folders.c - walks through a trace directory to list or delete files. */
#define _GNU_SOURCE
#include "trace/folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/count_format.h"
#include "format/order_format.h"
#include "format/trace_format.h"

#define FILE_COUNT 5

static const char *const names[FILE_COUNT] = {
	SPOOR_PROCESS_FILE, SPOOR_EVENTS_FILE, SPOOR_POOL_FILE, SPOOR_COUNTS_FILE, SPOOR_ORDER_FILE
};

struct folder {
	int fd;			/* open folder */
	pid_t process_id;
	bool there[FILE_COUNT];
	struct stat status[FILE_COUNT];
};

/* The process ID in a folder's name, "4711" or "4711.1"; 0 for other names. */
static pid_t owner_of(const char *name)
{
	char *end;
	long number;

	if (*name < '1' || *name > '9')
		return 0;
	number = strtol(name, &end, 10);
	if (*end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	return *end || number > INT_MAX ? 0 : (pid_t)number;
}

/* Opens a folder and reads the status of its files. Returns whether the folder has files of spoor. */
static bool folder_open(struct folder *folder, int directory, const char *name)
{
	bool any = false;

	folder->process_id = owner_of(name);
	if (!folder->process_id)
		return false;
	folder->fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder->fd < 0)
		return false;
	for (int i = 0; i < FILE_COUNT; i++) {
		folder->there[i] = fstatat(folder->fd, names[i], &folder->status[i], AT_SYMLINK_NOFOLLOW) == 0 &&
				   S_ISREG(folder->status[i].st_mode);
		any |= folder->there[i];
	}
	if (!any)
		close(folder->fd);
	return any;
}

/* Calls @visit for each folder with files of spoor. Returns the sum of the results. */
static long visit_all(const char *trace_path, long (*visit)(const struct folder *folder, const char *path,
							     void *context), void *context)
{
	DIR *directory = opendir(trace_path);
	struct dirent *entry;
	struct folder folder;
	char path[PATH_MAX];
	long sum = 0;

	if (!directory)
		return errno == ENOENT ? 0 : -errno;
	while ((entry = readdir(directory))) {
		if (!folder_open(&folder, dirfd(directory), entry->d_name))
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", trace_path, entry->d_name) < (int)sizeof(path))
			sum += visit(&folder, path, context);
		close(folder.fd);
	}
	closedir(directory);
	return sum;
}

struct listing {
	void (*found)(const struct spoor_folder_file *file, void *context);
	void *context;
};

static long list_files(const struct folder *folder, const char *folder_path, void *context)
{
	const struct listing *listing = context;
	char path[PATH_MAX + 32];
	long count = 0;

	for (int i = 0; i < FILE_COUNT; i++) {
		struct spoor_folder_file file = {
			.path = path,
			.bytes = (uint64_t)folder->status[i].st_blocks * 512,
			.modified_s = folder->status[i].st_mtime,
		};

		if (!folder->there[i])
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder_path, names[i]);
		listing->found(&file, listing->context);
		count++;
	}
	return count;
}

long spoor_trace_folders_for_each(const char *trace_path,
			      void (*found)(const struct spoor_folder_file *file, void *context), void *context)
{
	struct listing listing = { found, context };

	return visit_all(trace_path, list_files, &listing);
}

struct deletion {
	const char *spared;
	int64_t before_s;
	uint64_t bytes;
};

static long delete_files(const struct folder *folder, const char *path, void *context)
{
	struct deletion *deletion = context;
	long count = 0;

	if (deletion->spared && strcmp(path, deletion->spared) == 0)
		return 0;
	/* The process runs: it may log again after a long pause. */
	if (kill(folder->process_id, 0) == 0 || errno == EPERM)
		return 0;
	for (int i = 0; i < FILE_COUNT; i++)
		if (folder->there[i] && folder->status[i].st_mtime >= deletion->before_s)
			return 0;
	for (int i = 0; i < FILE_COUNT; i++) {
		if (!folder->there[i] || unlinkat(folder->fd, names[i], 0) < 0)
			continue;
		deletion->bytes += (uint64_t)folder->status[i].st_blocks * 512;
		count++;
	}
	rmdir(path);	/* fails if the folder has other files */
	return count;
}

long spoor_trace_folders_delete(const char *trace_path, const char *spared, int64_t before_s, uint64_t *bytes)
{
	struct deletion deletion = { spared, before_s, 0 };
	long count = visit_all(trace_path, delete_files, &deletion);

	if (bytes)
		*bytes = deletion.bytes;
	return count;
}
