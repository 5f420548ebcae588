/* SPDX-License-Identifier: MIT */
/*
 * trace_reader.h - finds the processes in a trace directory, one folder each.
 *
 * A process's folder is also a trace, of that process alone. Files of version 0 in the directory are
 * further processes; a single such file is a trace too.
 */
#ifndef SPOOR_READER_TRACE_READER_H
#define SPOOR_READER_TRACE_READER_H

#include "reader/files/process.h"
#include "reader/sched/sched_file.h"
#include "reader/symbols/symbol_cache.h"
#include "reader/files/version0.h"

#define TRACE_DEFAULT_PATH "spoor.trace"

struct trace_entry {
	char *name;		/* of the folder; "." for the directory itself */
	char *path;
	int64_t begin_ns;	/* CLOCK_MONOTONIC */
	uint64_t session_id;	/* 0: unknown */
	int64_t process_id, parent_id;	/* in their own name space; 0: unknown */
	uint32_t run;		/* from 1 (trace_runs.h); 0: unknown */
	struct version0_file *files;	/* files of version 0, owned by the trace; null: a folder */
	size_t file_count;
};

struct trace {
	int directory;
	char *path;
	struct trace_entry *entries;	/* in the order in which the processes began */
	size_t count;
	uint32_t runs;			/* number of runs (trace_runs.h) */
	struct version0_file *files;	/* of version 0, grouped by process */
	size_t file_count;
	char *packed;			/* the folder of packed symbols; null: the trace is not packed */
	struct symbol_cache symbols;
	struct sched_file sched;	/* when its threads ran and waited */
	struct symbol_cache *shared;	/* used instead of `symbols`, for several traces; null: not shared */
};

/*
 * trace_open - finds the processes of the trace at @path.
 *
 * Returns 0, or after a message -ENODATA if the trace has no process, or another negative errno.
 */
int trace_open(struct trace *trace, const char *path, bool demangle);
void trace_close(struct trace *trace);

/* The same as process_open, for entry @number. */
int trace_open_process(struct trace *trace, size_t number, struct process *process);

/* Returns whether @directory/@name itself holds files of a process. */
bool trace_is_process_folder(int directory, const char *name);

#endif
