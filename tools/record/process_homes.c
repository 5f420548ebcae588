/* SPDX-License-Identifier: MIT */
/* process_homes.c - makes folders in the trace for processes that do not see the trace. */
#define _GNU_SOURCE
#include "record/process_homes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/container/container_symbols.h"
#include "format/count_format.h"
#include "base/system/namespaces.h"
#include "format/order_format.h"
#include "format/trace_format.h"

#define FOLDERS_MAX 1000

/* One root directory in one mount name space. */
struct container {
	struct container *next;
	int root, space;	/* descriptors: the directory, and the name space, which keeps its mounts */
	dev_t device;
	ino_t inode, space_inode;
};

struct home {
	struct home *next;
	pid_t process_id;
	int made;
	const struct container *container;	/* null: it has the same files as we */
	char name[64];				/* of the folder */
};

int recorder_homes_begin(struct recorder_homes *homes, const char *trace_path)
{
	*homes = (struct recorder_homes){ .trace = open(trace_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	if (homes->trace < 0)
		return -errno;
	if (snprintf(homes->path, sizeof(homes->path), "%s", trace_path) >= (int)sizeof(homes->path))
		return -ENAMETOOLONG;
	return 0;
}

static struct home *find_home(const struct recorder_homes *homes, pid_t process_id, const char *name)
{
	struct home *home = homes->homes;

	while (home && (home->process_id != process_id || strcmp(home->name, name) != 0))
		home = home->next;
	return home;
}

static void container_free(struct container *container)
{
	if (container->root >= 0)
		close(container->root);
	if (container->space >= 0)
		close(container->space);
	free(container);
}

/* Returns whether we may look into the process. */
static bool container_open(struct container *container, pid_t process_id)
{
	struct stat root, space;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/root", (int)process_id);
	container->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)process_id);
	container->space = open(path, O_RDONLY | O_CLOEXEC);
	if (container->root < 0 || container->space < 0 || fstat(container->root, &root) < 0 ||
	    fstat(container->space, &space) < 0)
		return false;
	container->device = root.st_dev;
	container->inode = root.st_ino;
	container->space_inode = space.st_ino;
	return true;
}

/* Returns the container of a process; null if it is in none, or if we may not look into it. */
static const struct container *container_of(struct recorder_homes *homes, pid_t process_id)
{
	struct container *container = namespaces_other_files(process_id) ? calloc(1, sizeof(*container)) : NULL;
	const struct container *known = homes->containers;
	bool opened;

	if (!container)
		return NULL;
	opened = container_open(container, process_id);
	while (known && (known->device != container->device || known->inode != container->inode ||
			 known->space_inode != container->space_inode))
		known = known->next;
	if (!opened || known) {
		container_free(container);
		return opened ? known : NULL;
	}
	container->next = homes->containers;
	return homes->containers = container;
}

static int add_home(struct recorder_homes *homes, pid_t process_id, const char *name, int made,
		    const struct container *container)
{
	struct home *home = calloc(1, sizeof(*home));

	if (!home)
		return -ENOMEM;
	home->process_id = process_id;
	home->made = made;
	home->container = container;
	snprintf(home->name, sizeof(home->name), "%s", name);
	home->next = homes->homes;
	homes->homes = home;
	return 0;
}

int recorder_homes_make(struct recorder_homes *homes, pid_t process_id, char *folder)
{
	char name[32];

	if (homes->trace < 0 || process_id <= 0)
		return -ENOTSUP;
	for (int i = 0; i < FOLDERS_MAX; i++) {
		if (i == 0)
			snprintf(name, sizeof(name), "%d", (int)process_id);
		else
			snprintf(name, sizeof(name), "%d.%d", (int)process_id, i);
		if (mkdirat(homes->trace, name, 0700) < 0) {
			if (errno != EEXIST)
				return -errno;
			continue;
		}
		if (snprintf(folder, PATH_MAX, "%s/%s", homes->path, name) >= PATH_MAX)
			return -ENAMETOOLONG;
		return add_home(homes, process_id, name, 1, container_of(homes, process_id));
	}
	return -EEXIST;
}

static int open_in(const struct recorder_homes *homes, const struct home *home, const char *file)
{
	int folder = openat(homes->trace, home->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), fd;

	if (folder < 0)
		return -errno;
	fd = openat(folder, file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	fd = fd < 0 ? -errno : fd;
	close(folder);
	return fd;
}

int recorder_homes_file(struct recorder_homes *homes, pid_t process_id, const char *path)
{
	static const char *const files[] = { SPOOR_PROCESS_FILE, SPOOR_EVENTS_FILE, SPOOR_POOL_FILE, SPOOR_COUNTS_FILE,
					     SPOOR_ORDER_FILE };
	const char *slash = strchr(path, '/');
	struct home *home = homes->homes;

	while (home && slash && (home->process_id != process_id || !home->made ||
				 strlen(home->name) != (size_t)(slash - path) ||
				 strncmp(home->name, path, (size_t)(slash - path)) != 0))
		home = home->next;
	if (!home || !slash)
		return -EPERM;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (strcmp(slash + 1, files[i]) == 0)
			return open_in(homes, home, files[i]);
	return -EPERM;
}

int recorder_homes_is_made(const struct recorder_homes *homes, pid_t process_id, const char *folder)
{
	const char *slash = strrchr(folder, '/');
	const struct home *home = find_home(homes, process_id, slash ? slash + 1 : folder);

	return home && home->made;
}

void recorder_homes_came(struct recorder_homes *homes, pid_t process_id, const char *folder)
{
	const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
	const struct container *container;

	if (homes->trace < 0 || find_home(homes, process_id, name))
		return;
	container = container_of(homes, process_id);
	if (container)
		add_home(homes, process_id, name, 0, container);
}

void recorder_homes_end(struct recorder_homes *homes)
{
	for (struct container *container = homes->containers, *next; container; container = next) {
		struct symbol_cache modules = { .demangle = false };

		for (const struct home *home = homes->homes; home; home = home->next)
			if (home->container == container)
				container_symbols_add(&modules, homes->trace, homes->path, home->name);
		container_symbols_keep(&modules, homes->path, container->root);
		symbol_cache_free(&modules);
		next = container->next;
		container_free(container);
	}
	for (struct home *home = homes->homes, *next; home; home = next) {
		next = home->next;
		free(home);
	}
	if (homes->trace >= 0)
		close(homes->trace);
	*homes = (struct recorder_homes){ .trace = -1 };
}
