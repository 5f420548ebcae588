/* SPDX-License-Identifier: MIT */
/*
 * progress.h - shows the progress of long work on stderr, if that is a terminal.
 *
 * Shows nothing during the first second, nor if stdout is a terminal as well: the output itself shows
 * the progress there.
 */
#ifndef SPOOR_TOOLS_PROGRESS_H
#define SPOOR_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Begins a task. @what: a text that stays valid until the task ends. @total is in any unit, and 0 ends the display.
 * */
void progress_begin(const char *what, uint64_t total);

/* Cheap enough to call for each block (one vDSO call, and only on a terminal). */
void progress_add(uint64_t done);

/* Shows a line of the caller, if the display is active, and not more often than a person can read. */
void progress_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns whether the display is active, so that callers can avoid expensive texts. */
bool progress_is_shown(void);

void progress_wipe(void);

#endif
