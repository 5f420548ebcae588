/* SPDX-License-Identifier: MIT */
/* record.h - the options of `spoor record`, and the functions that both of its ways share. */
#ifndef SPOOR_TOOLS_RECORD_H
#define SPOOR_TOOLS_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/live_view.h"
#include "record/recorder.h"

struct record {
	const char *trace_path;
	bool placed;			/* -o was given */
	const char *mode;	/* null: from the environment */
	const char *trigger, *flush_signal, *handler;	/* null: from the environment */
	bool as_spoor;		/* writes version 0 of the format */
	char *modules, *functions, *tracepoints;	/* patterns, joined by commas */
	char *library_calls;	/* patterns, joined by commas */
	char *args, *retval, *cpu_time;	/* choices of functions whose values are stored, joined by commas */
	const char *container;	/* null, or the root directory of started processes; "": ours */
	bool quiet;
	bool allow_empty;	/* patterns that match nothing are no error */
	bool no_symbols;	/* stores no names in the trace */
	bool sched;		/* records when threads run and wait, */
	uint32_t sched_flags;	/* ... and these of enum spoor_sched_flags */
	char **program;		/* null: records */
	pid_t pid;		/* ... this process */
	int64_t start_after_ns;	/* 0: immediately */
	int64_t duration_ns;	/* after the start; 0: until it ends, or a signal */
	uint64_t max_bytes;	/* of events; 0: unlimited */
	uint64_t max_rate;	/* calls per second of each function; 0: unlimited */
	struct record_live_choice live;
};

/*
 * record_parse - reads the command line.
 * @record: set to the defaults before. The caller frees modules, functions and tracepoints, whatever
 *          is returned.
 *
 * Returns 0, or an exit status after a message. Exits after showing help.
 */
int record_parse(struct record *record, int argc, char **argv);

/*
 * Stores the names of functions in the trace, and prints one line with the result. Discards the trace if no event was
 * recorded.
 * @name:      the program's
 * @totals:    `full` only if no message about it was printed
 * @functions: a list of the functions that occur, by process
 */
void record_summary(const struct record *record, const char *name, struct recorder_totals *totals,
		    const struct recorded_functions *functions);

/* record_attached - records a running process. Returns an exit status. */
int record_attached(const struct record *record);

#endif
