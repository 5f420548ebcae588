/* SPDX-License-Identifier: MIT */
/* time_source.c - decides whether events use the time stamp counter or CLOCK_MONOTONIC. */
#define _GNU_SOURCE
#include "base/time_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define CLOCK_SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

int spoor_counter_is_clock;

/* Tells if the kernel uses the counter as its clock. The kernel compares the counters of all processors. */
static bool kernel_relies_on_it(void)
{
	char name[16] = "";
	int fd = open(CLOCK_SOURCE, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (read(fd, name, sizeof(name) - 1) < 0)
		name[0] = '\0';
	close(fd);
	return strcmp(name, "tsc\n") == 0;
}

int spoor_counter_begin(int wanted)
{
	int state = PR_TSC_ENABLE;	/* some kernels, and valgrind, do not support the call */

	if (prctl(PR_GET_TSC, &state) == 0 && state == PR_TSC_SIGSEGV)
		return -EPERM;
	spoor_counter_is_clock = !wanted || (!spoor_cycles_are_invariant() && !kernel_relies_on_it());
	return 0;
}
