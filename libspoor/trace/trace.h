/* SPDX-License-Identifier: MIT */
/*
 * trace.h - this process's folder in the trace, and what the process itself
 * writes there. Events are written by the drainer.
 *
 * The folder is made when something is first patched, so a process without
 * sleds writes nothing. A forked child gets one of its own at its first event.
 */
#ifndef SPOOR_TRACE_H
#define SPOOR_TRACE_H

#include "config/configuration.h"
#include "trace/records.h"
#include "trace/trace_state.h"

/*
 * spoor_trace_begin - makes folder, process file and pool, and sees to it that the
 * pool is drained. Nothing to do where this process has them.
 *
 * Return: 0, or -ESHUTDOWN after one message; no later call tries again.
 *
 * Context: under the registry's lock.
 */
int spoor_trace_begin(void);

/*
 * spoor_trace_provide - the pool, or the counters, where the mode needs what there is not.
 *
 * Return: 0, or a negative errno. Context: under the registry's lock, while the trace is open.
 */
int spoor_trace_provide(enum spoor_mode mode);

/*
 * The trace of a process that goes on: spoor_trace_leave writes its end and closes its
 * files; from then on there is none, until spoor_trace_forget has given its pool back, with no
 * thread in this library, and spoor_trace_renew lets another one begin, for a recorder
 * alone. Under the registry's lock.
 */
void spoor_trace_leave(void);
void spoor_trace_forget(void);
void spoor_trace_renew(void);

/* The process begins to end: calls that are open now are said to last until here, not until all is written. */
void spoor_trace_date_end(void);

/* The process ends in order: names, foreign modules, and what is in full slices. */
void spoor_trace_end(void);

#endif
