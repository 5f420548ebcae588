/* SPDX-License-Identifier: MIT */
/* record.h - what the two ways of `spoor record` share. */
#ifndef SPOOR_TOOLS_RECORD_H
#define SPOOR_TOOLS_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "recorder.h"

struct record {
	const char *trace_path;
	const char *mode;	/* null: as the environment says */
	const char *trigger, *flush_signal, *handler;	/* null: as the environment says */
	bool as_spoor;		/* in version 0 of the format */
	char *modules, *functions;	/* patterns, joined by commas */
	bool quiet;
	char **program;		/* null: */
	pid_t pid;		/* ... this process */
	int64_t duration_ns;	/* of an attachment; 0: until it ends, or a signal */
};

/* Adds up what is in the trace: the recorder knows only of pools that it drained. @counted goes up
 * by the calls that were counted. */
void record_count(const char *path, size_t *processes, struct recorder_totals *totals, uint64_t *counted);

/* One line about what came of it; @name is the program's. Where nothing did the trace is discarded. */
void record_summary(const struct record *record, const char *name, struct recorder_totals *totals);

/* record_attached - records a process that is running. Return: an exit status. */
int record_attached(const struct record *record);

#endif
