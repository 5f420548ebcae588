/* SPDX-License-Identifier: MIT */
/* frozen.h - tells whether a control group (cgroups(7)) has frozen a process. */
#ifndef SPOOR_TOOLS_FROZEN_H
#define SPOOR_TOOLS_FROZEN_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * process_is_frozen - reads the freezers of both versions of control groups.
 *
 * Returns false also if /proc or the control groups cannot be read. /proc/PID/stat does not show it: a frozen process
 * is in state D there with version 1, and in state S with version 2.
 */
bool process_is_frozen(pid_t pid);

#endif
