/* SPDX-License-Identifier: MIT */
/* process_end.h - whether the process has begun to end: destructors run, and text stays as it is. */
#ifndef SPOOR_PROCESS_END_H
#define SPOOR_PROCESS_END_H

#include <stdbool.h>

/* Any context. */
bool spoor_process_is_ending(void);
void spoor_process_ends(void);

#endif
