/* SPDX-License-Identifier: MIT */
/* signals.h - the signals that spoor ignores for itself, and gives back to what it runs. */
#ifndef SPOOR_TOOLS_SIGNALS_H
#define SPOOR_TOOLS_SIGNALS_H

/*
 * signals_begin - ignores SIGPIPE and SIGXFSZ: whoever reads our output may go
 * away, and a file may be as large as is allowed; the write says so.
 */
void signals_begin(void);

/* In a child, before it becomes another program: as they were. */
void signals_restore(void);

#endif
