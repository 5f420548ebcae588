/* SPDX-License-Identifier: MIT */
/* file_limits.c - raises limits of resources for spoor, and restores them for programs that spoor starts. */
#include "base/system/file_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

static const __rlimit_resource_t raised[] = { RLIMIT_NOFILE, RLIMIT_CPU };
#define RAISED (sizeof(raised) / sizeof(*raised))

static struct rlimit before[RAISED];
static bool is_raised[RAISED];

void limits_raise(void)
{
	for (size_t i = 0; i < RAISED; i++) {
		struct rlimit most;

		/* A second call would overwrite `before` with the raised limit. */
		if (is_raised[i] || getrlimit(raised[i], &before[i]) != 0)
			continue;
		most = (struct rlimit){ before[i].rlim_max, before[i].rlim_max };
		is_raised[i] = setrlimit(raised[i], &most) == 0;
	}
}

void limits_restore(void)
{
	for (size_t i = 0; i < RAISED; i++)
		if (is_raised[i])
			setrlimit(raised[i], &before[i]);
}
