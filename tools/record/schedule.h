/* SPDX-License-Identifier: MIT */
/*
 * schedule.h - begins and ends recording while the program is running, and shows progress.
 *
 * With a late start, processes are dormant until spoor wakes them by a call in one of their threads,
 * as spoor ctl does. Processes that start later read the time themselves (SPOOR_RUNTIME_START). With
 * an early end, all processes are made dormant in the same way, and later each new one.
 */
#ifndef SPOOR_TOOLS_RECORD_SCHEDULE_H
#define SPOOR_TOOLS_RECORD_SCHEDULE_H

#include "record/record.h"
#include "record/recorder.h"

struct record_watch {
	const struct record *record;
	struct recorder *recorder;
	const char *variable;		/* in the environment of the program and its descendants (descendants.h) */
	int64_t start_ns, end_ns;	/* CLOCK_MONOTONIC; 0: immediately; not limited */
	const char *mode;		/* for a late start */
	bool begun, stopped, full;	/* full: the size limit stopped it, and a message was printed */
	uint64_t stopped_pool;		/* number of the last stopped pool */
	pid_t *done;			/* processes that were woken */
	size_t done_count, done_room;
};

/*
 * record_schedule_begin - called before the program is started, with the program's environment.
 *
 * Returns 0, or an exit status after a message. Call record_schedule_end in both cases.
 */
int record_schedule_begin(struct record_watch *watch, const struct record *record, struct recorder *recorder,
		       const char *variable);
void record_schedule_end(struct record_watch *watch);

/* Performs the actions that are due. Returns milliseconds until the next call, -1 for never. */
int record_schedule_tick(struct record_watch *watch);

/* Shows events, bytes and losses so far, if progress is shown. Returns the same as record_schedule_tick. */
int record_schedule_show(const struct record *record, struct recorder *recorder);

#endif
