/* SPDX-License-Identifier: MIT */
/* file_limits.h - raises the limit of open files for spoor, and restores it for programs that spoor starts. */
#ifndef SPOOR_TOOLS_FILE_LIMITS_H
#define SPOOR_TOOLS_FILE_LIMITS_H

/* limits_raise - raises the limit of open files. A recorder opens two files for each traced process, a reader one
 * for each trace. */
void limits_raise(void);

/* limits_restore - restores the limit. Called in a child, before it executes another program. */
void limits_restore(void);

#endif
