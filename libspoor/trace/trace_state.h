/* SPDX-License-Identifier: MIT */
/* trace_state.h - the current trace of this process; only trace.c changes it. */
#ifndef SPOOR_TRACE_STATE_H
#define SPOOR_TRACE_STATE_H

#include <limits.h>
#include <stdbool.h>

struct spoor_trace_state {
	enum { TRACE_NONE, TRACE_OPEN, TRACE_FAILED } state;
	char folder[PATH_MAX];
	bool drained_here, has_pool, has_counts, has_order;
	bool recorder_alone;	/* no service thread may replace the recorder */
	bool made_path;		/* spoor made the trace directory, too */
	bool elsewhere;		/* the folder is the recorder's, and its path is not valid in this process */
};
extern struct spoor_trace_state spoor_trace_state;

/* Tells if a trace is open and belongs to the calling process, not to its parent. Any context. */
bool spoor_trace_is_ours(void);

/* Tells if this process has counters. Any context. */
bool spoor_trace_counts(void);

/* Tells if the service thread drains, and not a recorder. */
bool spoor_trace_is_drained_here(void);

/* This process's folder, or null if there is none. */
const char *spoor_trace_folder(void);

/* Tells if the trace could not be begun. */
bool spoor_trace_has_failed(void);

#endif
