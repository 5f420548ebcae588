/* SPDX-License-Identifier: MIT */
/*
 * memory_limit.c - reads the machine's memory and the limits of control groups.
 *
 * Supports versions 2 and 1, at the mount points of systemd and of container engines (cgroups(7)).
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

/* Reads at most @room - 1 bytes and ends them with a zero. Returns the number of bytes; 0 if the file cannot be
 * read. */
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

/* Returns the lowest limit of a group and of the groups around it. In a container the root shows the
 * container's own limit, whatever @group is. */
static uint64_t lowest_limit(const char *root, char *group, const char *file)
{
	uint64_t least = UINT64_MAX;

	for (char *end = group + strlen(group); end; end = strrchr(group, '/')) {
		char path[PATH_MAX + 64], text[32];
		uint64_t limit;

		*end = '\0';
		snprintf(path, sizeof(path), "%s%s/%s", root, group, file);
		/* "max" means no limit, and strtoull returns 0 for it. */
		limit = read_text(path, text, sizeof(text)) ? strtoull(text, NULL, 10) : 0;
		if (limit && limit < least)
			least = limit;
	}
	return least;
}

/* Tells if the list of controllers, as in "9:memory,hugetlb:/group", contains memory. */
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
			limit = lowest_limit("/sys/fs/cgroup", group + 1, "memory.max");
		else if (group && has_memory(controllers + 1, group))
			limit = lowest_limit("/sys/fs/cgroup/memory", group + 1, "memory.limit_in_bytes");
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
