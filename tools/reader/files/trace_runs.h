/* SPDX-License-Identifier: MIT */
/*
 * trace_runs.h - tells the runs apart that have written to one trace directory.
 *
 * spoor record makes a directory for each run, but programs that run with LD_PRELOAD=libspoor.so add to theirs. A run is
 * the processes of one session, and the processes that they have started. A process that a program without libspoor.so
 * has started is a run of its own.
 */
#ifndef SPOOR_READER_TRACE_RUNS_H
#define SPOOR_READER_TRACE_RUNS_H

#include "reader/files/trace_reader.h"

/* Chooses one run of each trace that is opened from now on, by number from 1, or by "last". Returns 0 or -EINVAL. */
int trace_runs_choose(const char *text);

/* Numbers the runs, whose entries are in the order in which the processes began. */
void trace_runs_number(struct trace *trace);

/*
 * trace_runs_apply - drops the processes of the other runs; if none is chosen and there are several, prints a message.
 *
 * Returns 0, or -ENODATA after a message if there is no such run.
 */
int trace_runs_apply(struct trace *trace);

#endif
