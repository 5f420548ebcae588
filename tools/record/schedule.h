/* SPDX-License-Identifier: MIT */
/*
 * schedule.h - begins and ends recording while the program runs, and shows how far it is.
 *
 * What begins late is dormant until it is woken, by a thread of its own that calls in, as spoor ctl
 * does it; a process that is started later knows by itself (SPOOR_RUNTIME_START). What ends early is
 * made dormant likewise, and so is each process that comes later.
 */
#ifndef SPOOR_TOOLS_RECORD_WATCH_H
#define SPOOR_TOOLS_RECORD_WATCH_H

#include "record/record.h"
#include "record/recorder.h"

struct record_watch {
	const struct record *record;
	struct recorder *recorder;
	const char *variable;		/* of the program and all that it starts; descendants.h */
	int64_t start_ns, end_ns;	/* CLOCK_MONOTONIC; 0: at once, and not by time */
	const char *mode;		/* for what begins late */
	bool begun, stopped, full;	/* full: that is why it was stopped, and was said */
	uint64_t stopped_pool;		/* the last one that was stopped */
	pid_t *done;			/* processes that were woken */
	size_t done_count, done_room;
};

/*
 * record_schedule_begin - before the program is started, and with its environment.
 *
 * Return: 0, or an exit status after a message. End it in any case.
 */
int record_schedule_begin(struct record_watch *watch, const struct record *record, struct recorder *recorder,
		       const char *variable);
void record_schedule_end(struct record_watch *watch);

/* Does what is due. Return: milliseconds until there may be something again; -1 for never. */
int record_schedule_tick(struct record_watch *watch);

/* Shows events, bytes and losses so far, where such is shown. Return: as record_schedule_tick. */
int record_schedule_show(const struct record *record, struct recorder *recorder);

#endif
