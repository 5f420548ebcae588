/* SPDX-License-Identifier: MIT */
/*
 * progress.h - how far long work is, on stderr, where that is a terminal.
 *
 * Silent for the first second, and where stdout is a terminal as well: the
 * output itself shows the progress there.
 */
#ifndef SPOOR_TOOLS_PROGRESS_H
#define SPOOR_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Begins a task: @what stays, @total is in any unit, 0 ends the display. */
void progress_begin(const char *what, uint64_t total);

/* Cheap enough for once a block (one vDSO call, and that only on a terminal). */
void progress_add(uint64_t done);

/* A line of one's own, where such are shown, and not more often than can be read. */
void progress_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether they are shown: for what takes some effort to say. */
bool progress_is_shown(void);

void progress_wipe(void);

#endif
