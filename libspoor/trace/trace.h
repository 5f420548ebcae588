/* SPDX-License-Identifier: MIT */
/*
 * trace.h - this process's folder in the trace, and the data that the process itself
 * writes there. The drainer writes the events.
 *
 * The folder is made when the first function is patched, so a process without sleds
 * writes nothing. A forked child makes a separate folder at its first event.
 */
#ifndef SPOOR_TRACE_H
#define SPOOR_TRACE_H

#include "config/configuration.h"
#include "trace/records.h"
#include "trace/trace_state.h"

/*
 * spoor_trace_begin - makes the folder, the process file and the pool, and starts
 * draining. Does nothing if this process has them.
 *
 * Returns 0, or -ESHUTDOWN after one message; later calls do not try again.
 *
 * Context: under the registry's lock.
 */
int spoor_trace_begin(void);

/*
 * spoor_trace_provide - makes the pool, the counters or the file of first executions, if the mode needs it.
 *
 * Returns 0, or a negative errno. Context: under the registry's lock, while the trace is open.
 */
int spoor_trace_provide(enum spoor_mode mode);

/*
 * End the trace of a process that continues. spoor_trace_leave writes the end and closes the
 * files. spoor_trace_forget then releases the pool, when no thread is in this library.
 * spoor_trace_renew lets another trace begin, which only a recorder may drain. Under the
 * registry's lock.
 */
void spoor_trace_leave(void);
void spoor_trace_forget(void);
void spoor_trace_renew(void);

/* Stores the time at which the process begins to end: open calls last until then, and not until all events are
 * written. */
void spoor_trace_date_end(void);

/* The process ends normally: writes names, foreign modules, and the stored events. */
void spoor_trace_end(void);

#endif
