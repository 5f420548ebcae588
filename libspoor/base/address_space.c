/* SPDX-License-Identifier: MIT */
/* address_space.c - computes how much a process can still map under its limit RLIMIT_AS. */
#include "base/address_space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define SHARE 8

/* Address space that this process uses, in bytes; 0 if /proc cannot be read. */
static uint64_t bytes_in_use(void)
{
	char text[64];
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	return strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t spoor_address_space_share(void)
{
	struct rlimit space;
	uint64_t used;
	int saved = errno;

	if (getrlimit(RLIMIT_AS, &space) < 0 || space.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	used = bytes_in_use();
	errno = saved;
	return used < space.rlim_cur ? (space.rlim_cur - used) / SHARE : 0;
}
