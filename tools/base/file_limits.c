/* SPDX-License-Identifier: MIT */
/* file_limits.c - the limits that spoor lifts for itself. */
#include "base/file_limits.h"

#include <stdbool.h>
#include <sys/resource.h>

static struct rlimit before;
static bool raised;

void limits_raise(void)
{
	struct rlimit most;

	/* Once more, `before` would be what it is now. */
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
