/* SPDX-License-Identifier: MIT */
/* namespaces.c - compares the name spaces, root directory and clock of another process with ours, by /proc. */
#include "base/system/namespaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same(const char *ours, const char *theirs, bool or_unknown)
{
	struct stat here, there;

	if (stat(ours, &here) < 0 || stat(theirs, &there) < 0)
		return or_unknown;
	return here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

bool namespaces_differ(pid_t process_id, const char *kind)
{
	char ours[64], theirs[64];

	snprintf(ours, sizeof(ours), "/proc/self/ns/%s", kind);
	snprintf(theirs, sizeof(theirs), "/proc/%d/ns/%s", (int)process_id, kind);
	return !same(ours, theirs, true);
}

void namespaces_list(pid_t process_id, char *text, size_t size)
{
	static const char *const kinds[] = { "mnt", "pid", "net", "user", "ipc", "uts", "cgroup", "time" };
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (namespaces_differ(process_id, kinds[i]) && length < size)
			length += (size_t)snprintf(text + length, size - length, "%s%s", length ? "," : "", kinds[i]);
}

static int64_t steady_offset(const char *path)
{
	long long seconds = 0, nanoseconds = 0;
	FILE *file = fopen(path, "re");

	if (file && fscanf(file, "monotonic %lld %lld", &seconds, &nanoseconds) != 2)
		seconds = nanoseconds = 0;
	if (file)
		fclose(file);
	return (int64_t)seconds * 1000000000 + nanoseconds;
}

int64_t namespaces_steady_ahead(pid_t process_id)
{
	char path[64];

	if (!namespaces_differ(process_id, "time"))
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/timens_offsets", (int)process_id);
	return steady_offset(path) - steady_offset("/proc/self/timens_offsets");
}

void namespaces_root(pid_t process_id, char root[PATH_MAX])
{
	char path[64], target[PATH_MAX];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/root", (int)process_id);
	length = readlink(path, target, sizeof(target) - 1);
	target[length < 0 ? 0 : length] = '\0';
	strcpy(root, strcmp(target, "/") == 0 ? "" : target);
}

void namespaces_mapped_file(const char *process, const char *mapped, char path[NAMESPACES_PATH_MAX])
{
	char link[96], root[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "%s/root", process);
	length = readlink(link, root, sizeof(root));
	if (length > 1 && (size_t)length < sizeof(root) && strncmp(mapped, root, (size_t)length) == 0 && mapped[length] == '/')
		mapped += length;
	snprintf(path, NAMESPACES_PATH_MAX, "%s%s", link, mapped);
}

bool namespaces_other_files(pid_t process_id)
{
	char theirs[64];

	snprintf(theirs, sizeof(theirs), "/proc/%d/root/", (int)process_id);
	return namespaces_differ(process_id, "mnt") || !same("/", theirs, true);
}

bool namespaces_same_file(pid_t process_id, const char *path)
{
	char theirs[PATH_MAX + 32];

	snprintf(theirs, sizeof(theirs), "/proc/%d/root%s", (int)process_id, path);
	return same(path, theirs, false);
}

pid_t namespaces_inner_id(const char *path)
{
	char file_path[96], line[512], *last;
	pid_t id = -1;
	FILE *file;

	snprintf(file_path, sizeof(file_path), "/proc/%s/status", path);
	file = fopen(file_path, "re");
	while (file && fgets(line, sizeof(line), file))
		/* The line lists the ID in each name space, from ours to the innermost. */
		if (strncmp(line, "NSpid:", 6) == 0 && (last = strrchr(line, '\t')))
			id = atoi(last + 1);
	if (file)
		fclose(file);
	return id;
}

pid_t namespaces_inner_process(pid_t process_id)
{
	char path[16];

	snprintf(path, sizeof(path), "%d", (int)process_id);
	return namespaces_inner_id(path);
}
