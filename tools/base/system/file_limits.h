/* SPDX-License-Identifier: MIT */
/* file_limits.h - raises limits of resources for spoor, and restores them for programs that spoor starts. */
#ifndef SPOOR_TOOLS_FILE_LIMITS_H
#define SPOOR_TOOLS_FILE_LIMITS_H

/* limits_raise - raises the limits of open files and of processor time. A recorder opens two files for each traced
 * process, a reader one for each trace; a recorder that SIGXCPU ends loses events. */
void limits_raise(void);

/* limits_restore - restores the limits. Called in a child, before it executes another program. */
void limits_restore(void);

#endif
