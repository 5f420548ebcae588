/* SPDX-License-Identifier: MIT */
/* container_root.c - opens paths below the root directory of a container, and copies files there. */
#define _GNU_SOURCE
#include "base/system/container_root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int container_open_below(int root, const char *path, int flags)
{
	struct open_how how = { .flags = (unsigned int)flags | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

int container_copy(int from, int to)
{
	off_t at = 0;
	struct stat status;

	if (fstat(from, &status) < 0)
		return -errno;
	errno = 0;
	while (at < status.st_size)
		if (sendfile(to, from, &at, (size_t)(status.st_size - at)) <= 0)
			return errno ? -errno : -EIO;
	return 0;
}
