/* SPDX-License-Identifier: MIT */
/* signals.h - sets the actions that spoor needs, and restores them for programs that spoor starts. */
#ifndef SPOOR_TOOLS_SIGNALS_H
#define SPOOR_TOOLS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * signals_begin - ignores SIGPIPE and SIGXFSZ, and no longer ignores SIGCHLD. The reader of the output may exit, and
 * a file may reach the size limit; write(2) then returns an error.
 */
void signals_begin(void);

/* Returns whether a parent process, such as nohup(1), ignores the signal for this process. */
bool signals_is_ignored(int number);

/* Adds the signals that this process does not ignore. */
void signals_add(sigset_t *set, const int *numbers, size_t count);

/* Restores the signals. Called in a child, before it executes another program. */
void signals_restore(void);

#endif
