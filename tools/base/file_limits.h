/* SPDX-License-Identifier: MIT */
/* file_limits.h - as many descriptors as spoor may have, and for what it runs as many as before. */
#ifndef SPOOR_TOOLS_FILE_LIMITS_H
#define SPOOR_TOOLS_FILE_LIMITS_H

/* limits_raise - a recorder has two descriptors open for each traced process, a reader one for each trace. */
void limits_raise(void);

/* In a child, before it becomes another program: as they were. */
void limits_restore(void);

#endif
