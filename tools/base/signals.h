/* SPDX-License-Identifier: MIT */
/* signals.h - ignores signals in spoor, and restores them for programs that spoor starts. */
#ifndef SPOOR_TOOLS_SIGNALS_H
#define SPOOR_TOOLS_SIGNALS_H

/*
 * signals_begin - ignores SIGPIPE and SIGXFSZ. The reader of the output may exit, and a file may reach
 * the size limit; write(2) then returns an error.
 */
void signals_begin(void);

/* Restores the signals. Called in a child, before it executes another program. */
void signals_restore(void);

#endif
