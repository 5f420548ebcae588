/* SPDX-License-Identifier: MIT */
/* trace_runs.c - tells the runs apart that have written to one trace directory. */
#include "reader/files/trace_runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/number_text.h"

#define LAST UINT32_MAX

static uint32_t chosen;		/* 0: all runs */

int trace_runs_choose(const char *text)
{
	uint64_t number = LAST;

	if (strcmp(text, "last") != 0 && !number_text_parse(text, 1, LAST - 1, &number))
		return -EINVAL;
	chosen = (uint32_t)number;
	return 0;
}

/* Returns the run of an earlier process of the same session, or of the process that started this one; 0: none. */
static uint32_t run_of(const struct trace *trace, size_t at)
{
	const struct trace_entry *entry = &trace->entries[at];

	while (at-- > 0) {
		const struct trace_entry *earlier = &trace->entries[at];

		if (earlier->run && (earlier->session_id == entry->session_id || (entry->parent_id && earlier->process_id == entry->parent_id)))
			return earlier->run;
	}
	return 0;
}

void trace_runs_number(struct trace *trace)
{
	trace->runs = 0;
	for (size_t i = 0; i < trace->count; i++) {
		struct trace_entry *entry = &trace->entries[i];

		/* A process with unreadable files belongs to no known run. */
		if (entry->session_id)
			entry->run = run_of(trace, i);
		if (entry->session_id && !entry->run)
			entry->run = ++trace->runs;
	}
}

static void drop_others(struct trace *trace, uint32_t run)
{
	size_t kept = 0;

	for (size_t i = 0; i < trace->count; i++) {
		struct trace_entry *entry = &trace->entries[i];

		if (entry->run == run) {
			trace->entries[kept++] = *entry;
			continue;
		}
		free(entry->name);
		free(entry->path);
	}
	trace->count = kept;
}

int trace_runs_apply(struct trace *trace)
{
	uint32_t run = chosen == LAST ? trace->runs : chosen;

	if (run > trace->runs || (chosen && !run)) {
		message("%s: has no run %u: it has %u run%s", trace->path, run, trace->runs, trace->runs == 1 ? "" : "s");
		return -ENODATA;
	}
	if (run)
		drop_others(trace, run);
	else if (trace->runs > 1)
		message("%s: %u runs, and all of them are read: choose with --run 1 to --run %u, or --run last", trace->path,
			trace->runs, trace->runs);
	return 0;
}
