/* SPDX-License-Identifier: MIT */
/* proc.c - the commands find libspoor.so, and all processes, by proc(5). */
#include "base/system/proc.h"

#include <unistd.h>

#include "base/message.h"

int proc_check(void)
{
	char byte;

	if (readlink("/proc/self/exe", &byte, 1) == 1)
		return SPOOR_EXIT_GOOD;
	message("/proc is missing: mount it first (mount -t proc proc /proc)");
	return SPOOR_EXIT_BAD_TRACE;
}
