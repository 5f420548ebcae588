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

/* Tells if the signal stays ignored, because nohup(1) or another parent ignores it. Only SIGHUP does: shells ignore
 * SIGINT and SIGQUIT for their background jobs, and scripts end a recording by them. */
bool signals_is_ignored(int number);

/* Adds the signals that do not stay ignored. */
void signals_add(sigset_t *set, const int *numbers, size_t count);

/* Restores the signals. Called in a child, before it executes another program. */
void signals_restore(void);

#endif
