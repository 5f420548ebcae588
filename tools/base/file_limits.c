/* SPDX-License-Identifier: MIT */
/* file_limits.c - raises the limit of open files for spoor, and restores it for programs that spoor starts. */
#include "base/file_limits.h"

#include <stdbool.h>
#include <sys/resource.h>

static struct rlimit before;
static bool raised;

void limits_raise(void)
{
	struct rlimit most;

	/* A second call would overwrite `before` with the raised limit. */
	if (raised || getrlimit(RLIMIT_NOFILE, &before) != 0)
		return;
	most = (struct rlimit){ before.rlim_max, before.rlim_max };
	raised = setrlimit(RLIMIT_NOFILE, &most) == 0;
}

void limits_restore(void)
{
	if (raised)
		setrlimit(RLIMIT_NOFILE, &before);
}
