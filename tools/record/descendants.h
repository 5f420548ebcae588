/* SPDX-License-Identifier: MIT */
/* descendants.h - finds processes that a recorded program has started and left running. */
#ifndef SPOOR_TOOLS_DESCENDANTS_H
#define SPOOR_TOOLS_DESCENDANTS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * descendants_exist - returns whether a running process was started with @variable, "NAME=value", in
 * its environment.
 *
 * Looks at all of this user's processes, which takes some milliseconds.
 */
bool descendants_exist(const char *variable);

/* Calls @each for every process that was started with the variable, by us, or by one of these processes. */
void descendants_for_each(const char *variable, void (*each)(void *context, pid_t process_id), void *context);

/* Returns whether such a process is running, or is waiting for a processor or a disk. */
bool descendants_are_busy(const char *variable);

#endif
