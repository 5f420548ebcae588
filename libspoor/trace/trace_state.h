/* SPDX-License-Identifier: MIT */
/* trace_state.h - which trace this process has now; trace.c alone changes it. */
#ifndef SPOOR_TRACE_STATE_H
#define SPOOR_TRACE_STATE_H

#include <limits.h>
#include <stdbool.h>

struct spoor_trace_state {
	enum { TRACE_NONE, TRACE_OPEN, TRACE_FAILED } state;
	char folder[PATH_MAX];
	bool drained_here, has_pool, has_counts, has_order;
	bool recorder_alone;	/* no thread of ours in its place */
	bool made_path;		/* and not only the folder in it */
	bool elsewhere;		/* the folder is the recorder's, and not to be seen from here */
};
extern struct spoor_trace_state spoor_trace_state;

/* Whether the calling process is the one whose trace is open. Any context. */
bool spoor_trace_is_ours(void);

/* Whether this process has counters. Any context. */
bool spoor_trace_counts(void);

/* Whether a thread of this process drains, and not a recorder. */
bool spoor_trace_is_drained_here(void);

/* This process's folder; null while there is none. */
const char *spoor_trace_folder(void);

/* Whether one could not be begun. */
bool spoor_trace_has_failed(void);

#endif
