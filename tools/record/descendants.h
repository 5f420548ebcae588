/* SPDX-License-Identifier: MIT */
/* descendants.h - processes that a recorded program has left behind. */
#ifndef SPOOR_TOOLS_DESCENDANTS_H
#define SPOOR_TOOLS_DESCENDANTS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * descendants_exist - whether a process is running that was started with
 * @variable, "NAME=value", in its environment.
 *
 * Looks at all of this user's processes; some milliseconds.
 */
bool descendants_exist(const char *variable);

/* Calls @each for every process that was started with it, or by us, or by one of these. */
void descendants_each(const char *variable, void (*each)(void *context, pid_t process_id), void *context);

/* The same, of those that have a processor, or wait for one or for a disk. */
bool descendants_are_busy(const char *variable);

#endif
