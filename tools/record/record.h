/* SPDX-License-Identifier: MIT */
/* record.h - what `spoor record` was asked for, and what its two ways share. */
#ifndef SPOOR_TOOLS_RECORD_H
#define SPOOR_TOOLS_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/live_view.h"
#include "record/recorder.h"

struct record {
	const char *trace_path;
	bool placed;			/* by -o */
	const char *mode;	/* null: as the environment says */
	const char *trigger, *flush_signal, *handler;	/* null: as the environment says */
	bool as_spoor;		/* in version 0 of the format */
	char *modules, *functions, *tracepoints;	/* patterns, joined by commas */
	const char *container;	/* null, or the root directory of what is started; "" for ours */
	bool quiet;
	char **program;		/* null: */
	pid_t pid;		/* ... this process */
	int64_t start_after_ns;	/* 0: at once */
	int64_t duration_ns;	/* from then on; 0: until it ends, or a signal */
	uint64_t max_bytes;	/* of events; 0: as many as there is room for */
	uint64_t max_rate;	/* calls a second of each function; 0: any number */
	struct record_live_choice live;
};

/*
 * record_parse - reads the command line.
 * @record: with its defaults; modules, functions and tracepoints are the caller's to free, whatever
 *          is returned
 *
 * Return: 0, or the exit status for what is wrong with it, which has been said. Ends
 * the program where help was asked for.
 */
int record_parse(struct record *record, int argc, char **argv);

/* Adds up what is in the trace: the recorder knows only of pools that it drained. @counted goes up
 * by the calls that were counted. Unless @quiet says which functions were made dormant. */
void record_count(const char *path, bool quiet, size_t *processes, struct recorder_totals *totals, uint64_t *counted,
		  uint64_t *ordered);

/*
 * One line about what came of it; @name is the program's. Where nothing did the trace is discarded.
 * @totals: `full` only where that was not said yet
 */
void record_summary(const struct record *record, const char *name, struct recorder_totals *totals);

/* record_attached - records a process that is running. Return: an exit status. */
int record_attached(const struct record *record);

#endif
