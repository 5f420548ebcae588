/* SPDX-License-Identifier: MIT */
/* process_end.h - tells whether the process is ending: destructors run, and the runtime patches no more text. */
#ifndef SPOOR_PROCESS_END_H
#define SPOOR_PROCESS_END_H

#include <stdbool.h>

/* Any context. */
bool spoor_process_is_ending(void);
void spoor_process_ends(void);

#endif
