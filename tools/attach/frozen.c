/* SPDX-License-Identifier: MIT */
/* frozen.c - finds the freezer of a process's control group and reads its state. */
#include "attach/frozen.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies the path of the process's group. @controller: "freezer", or "" for version 2. Returns whether it has one. */
static bool read_group(pid_t pid, const char *controller, char group[PATH_MAX])
{
	char path[64], *line = NULL;
	bool found = false;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	file = fopen(path, "re");
	/* ID:CONTROLLER,...:PATH */
	while (file && !found && getline(&line, &room, file) > 0) {
		char *rest = line, *controllers;

		line[strcspn(line, "\n")] = '\0';
		strsep(&rest, ":");
		controllers = strsep(&rest, ":");
		if (!controllers || !rest || (!*controller && *controllers))
			continue;
		for (char *one; !found && (one = strsep(&controllers, ","));)
			found = strcmp(one, controller) == 0;
		found = found && snprintf(group, PATH_MAX, "%s", rest) < PATH_MAX;
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

/* Parses a line of /proc/self/mountinfo (proc_pid_mountinfo(5)). Returns whether it set @point and @root. */
static bool is_mount_of(char *line, const char *controller, const char **root, const char **point)
{
	char *fields[5], *type, *rest = strstr(line, " - "), *options;

	if (!rest)
		return false;
	*rest = '\0';
	rest += 3;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		fields[i] = strsep(&line, " ");
	*root = fields[3];
	*point = fields[4];
	type = strsep(&rest, " ");
	strsep(&rest, " ");
	options = rest;
	if (!*point || !options)
		return false;
	if (!*controller)
		return strcmp(type, "cgroup2") == 0;
	options[strcspn(options, "\n")] = '\0';
	for (char *one; strcmp(type, "cgroup") == 0 && (one = strsep(&options, ","));)
		if (strcmp(one, controller) == 0)
			return true;
	return false;
}

/* Opens a file of a group, below the mount point of its controller. */
static FILE *open_in_group(const char *controller, const char *group, const char *name)
{
	char *line = NULL, path[2 * PATH_MAX];
	FILE *mounts = fopen("/proc/self/mountinfo", "re"), *file = NULL;
	size_t room = 0;

	while (mounts && !file && getline(&line, &room, mounts) > 0) {
		const char *root, *point, *below = group;

		if (!is_mount_of(line, controller, &root, &point))
			continue;
		/* In a container only a part of the hierarchy is mounted. */
		if (strcmp(root, "/") != 0 && strncmp(group, root, strlen(root)) == 0)
			below += strlen(root);
		snprintf(path, sizeof(path), "%s%s/%s", point, below, name);
		file = fopen(path, "re");
	}
	free(line);
	if (mounts)
		fclose(mounts);
	return file;
}

static bool has_line(const char *controller, const char *group, const char *name, const char *wanted, const char *other)
{
	FILE *file = open_in_group(controller, group, name);
	char line[128];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		found = strcmp(line, wanted) == 0 || strcmp(line, other) == 0;
	}
	if (file)
		fclose(file);
	return found;
}

bool process_is_frozen(pid_t pid)
{
	char group[PATH_MAX];

	return (read_group(pid, "", group) && has_line("", group, "cgroup.events", "frozen 1", "frozen 1")) ||
	       (read_group(pid, "freezer", group) && has_line("freezer", group, "freezer.state", "FROZEN", "FREEZING"));
}
