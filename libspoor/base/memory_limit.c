/* SPDX-License-Identifier: MIT */
/*
 * memory_limit.c - the machine's memory and the limits of control groups, of version 2 and 1, where systemd and
 * container engines mount them (cgroups(7)).
 */
#include "base/memory_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Return: bytes. */
static size_t read_text(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, room - 1);

	if (fd >= 0)
		close(fd);
	got = got < 0 ? 0 : got;
	text[got] = '\0';
	return (size_t)got;
}

/* The least of a group's limits and of those of the groups that it is in. A container sees its own at the root,
 * whatever the path. */
static uint64_t least_of(const char *root, char *group, const char *file)
{
	uint64_t least = UINT64_MAX;

	for (char *end = group + strlen(group); end; end = strrchr(group, '/')) {
		char path[PATH_MAX + 64], text[32];
		uint64_t limit;

		*end = '\0';
		snprintf(path, sizeof(path), "%s%s/%s", root, group, file);
		/* "max" is no number. */
		limit = read_text(path, text, sizeof(text)) ? strtoull(text, NULL, 10) : 0;
		if (limit && limit < least)
			least = limit;
	}
	return least;
}

/* "9:memory,hugetlb:/group" */
static bool has_memory(const char *controllers, const char *end)
{
	for (const char *name = controllers; name < end; name++) {
		const char *comma = memchr(name, ',', (size_t)(end - name));

		comma = comma ? comma : end;
		if (comma - name == 6 && memcmp(name, "memory", 6) == 0)
			return true;
		name = comma;
	}
	return false;
}

static uint64_t groups_limit(void)
{
	char text[PATH_MAX], *rest = text, *line;
	uint64_t least = UINT64_MAX;

	read_text("/proc/self/cgroup", text, sizeof(text));
	while ((line = strsep(&rest, "\n"))) {
		char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
		uint64_t limit = UINT64_MAX;

		if (group && group == controllers + 1)
			limit = least_of("/sys/fs/cgroup", group + 1, "memory.max");
		else if (group && has_memory(controllers + 1, group))
			limit = least_of("/sys/fs/cgroup/memory", group + 1, "memory.limit_in_bytes");
		least = limit < least ? limit : least;
	}
	return least;
}

uint64_t spoor_memory_limit(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	int saved = errno;
	uint64_t limit = groups_limit();

	errno = saved;
	if (pages > 0 && page > 0 && (uint64_t)pages * (uint64_t)page < limit)
		limit = (uint64_t)pages * (uint64_t)page;
	return limit;
}
