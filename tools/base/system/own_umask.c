/* SPDX-License-Identifier: MIT */
/* own_umask.c - keeps the umask that the user has set, and uses one that leaves the owner's bits. */
#include "base/system/own_umask.h"

#include <sys/stat.h>

static mode_t of_user;

void own_umask_begin(void)
{
	of_user = umask(077);
	umask(of_user & ~(mode_t)S_IRWXU);
}

void own_umask_restore(void)
{
	umask(of_user);
}
