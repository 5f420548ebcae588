/* SPDX-License-Identifier: MIT */
/*
 * trace_reader.h - a trace directory: the processes in it, one folder each.
 *
 * The folder of one process is a trace of that process alone. Files of version 0 in
 * the directory are more of its processes, and one of them is a trace too.
 */
#ifndef SPOOR_READER_TRACE_H
#define SPOOR_READER_TRACE_H

#include "reader/files/process.h"
#include "reader/symbols/symbol_cache.h"
#include "reader/files/version0.h"

#define TRACE_DEFAULT_PATH "spoor.trace"

struct trace_entry {
	char *name;		/* of the folder; "." for the directory itself */
	char *path;
	int64_t begin_ns;	/* CLOCK_MONOTONIC */
	struct version0_file *files;	/* the trace's, of version 0; null: a folder */
	size_t file_count;
};

struct trace {
	int directory;
	char *path;
	struct trace_entry *entries;	/* in the order in which the processes began */
	size_t count;
	struct version0_file *files;	/* of version 0, those of a process together */
	size_t file_count;
	char *packed;			/* the folder of its symbols; null: it was not packed */
	struct symbol_cache symbols;
	struct symbol_cache *shared;	/* of several traces, in the place of that; null: none */
};

/*
 * trace_open - finds the processes of the trace at @path.
 *
 * Says what is wrong. Return: 0, -ENODATA where there is no process in it, or
 * another negative errno.
 */
int trace_open(struct trace *trace, const char *path, bool demangle);
void trace_close(struct trace *trace);

/* As process_open. */
int trace_open_process(struct trace *trace, size_t number, struct process *process);

/* Whether there is something of a trace in @directory/@name itself. */
bool trace_is_process_folder(int directory, const char *name);

#endif
