/* SPDX-License-Identifier: MIT */
/* summary.c - ends a recording: stores the names of functions in the trace, and prints one line with the result. */
#include <inttypes.h>
#include <string.h>

#include "base/message.h"
#include "reader/files/trace_reader.h"
#include "reader/packed/trace_names.h"
#include "record/record.h"
#include "record/recorded_functions.h"
#include "record/throttled.h"
#include "record/why_empty.h"
#include "walk/trace_directory.h"

static uint64_t lost_events(const struct process *process)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < process->loss_count; i++)
		lost += process->losses[i].events;
	return lost;
}

static void store_names(const struct record *record, const struct trace *trace, struct symbol_cache *modules)
{
	const char *wrong;
	int error;

	if (record->as_spoor)
		return;
	if (record->no_symbols) {
		error = trace_names_turn_off(trace->path);
		wrong = error ? strerror(-error) : NULL;
	} else {
		wrong = trace_names_store(trace, modules);
	}
	if (wrong && !record->no_symbols)
		message("%s: the names of functions are not stored in the trace: %s; 'spoor pack' stores them later",
			record->trace_path, wrong);
	else if (wrong)
		message("%s: commands that read the trace will store names in it: %s", record->trace_path, wrong);
}

/* What the summary prints. */
struct content {
	size_t processes;
	uint64_t counted, ordered;	/* calls, functions */
};

/* Adds up the contents of the trace, because the recorder knows only the pools that it drained. Unless quiet, prints
 * which functions were made dormant. Stores names. */
static void examine_trace(const struct record *record, const struct recorded_functions *functions,
			  struct recorder_totals *totals, struct content *content)
{
	struct trace trace;
	void *index;
	bool noted = true;

	totals->events = totals->lost = 0;
	if (trace_open(&trace, record->trace_path, true))
		return;
	content->processes = trace.count;
	index = recorded_functions_index(functions);
	for (size_t i = 0; i < trace.count; i++) {
		static struct process process;	/* 32 KiB, static because the program may need a small stack limit */

		if (trace_open_process(&trace, i, &process))
			continue;
		totals->events += process_events(&process);
		totals->lost += lost_events(&process) + process.counts.lost;
		content->counted += process.counts.calls;
		content->ordered += process.order.count;
		if (!record->quiet)
			record_throttled_print(&process);
		noted &= !trace_names_note(&process, recorded_functions_find(index, trace.entries[i].name));
		process_close(&process);
	}
	recorded_functions_index_free(index);
	if (noted)
		store_names(record, &trace, &trace.symbols);
	trace_close(&trace);
}

void record_summary(const struct record *record, const char *name, struct recorder_totals *totals,
		    const struct recorded_functions *functions)
{
	const char *path = record->trace_path;
	struct content content = { 0 };

	if (!trace_directory_is_ours(path)) {
		message("%s: the trace was removed or moved during the recording, and its events with it: do not move "
			"it until the recording ends", path);
		return;
	}
	if (!trace_directory_is_empty(path))
		examine_trace(record, functions, totals, &content);
	if (totals->full)
		message("%s: events were lost: it has %" PRIu64 " bytes of events, the limit of --max-size", path,
			record->max_bytes);
	if (totals->error)
		message("%s: cannot write events: %s; missing events are counted as lost", path,
			strerror(totals->error));
	if (totals->refused > 1)
		message("%" PRIu64 " processes of other users were not recorded", totals->refused);
	if (content.processes)
		trace_directory_done();
	if (!content.processes) {
		trace_directory_discard(path);
		explain_empty_recording(record, name);
	} else if (content.ordered && !record->quiet) {
		message("order of %" PRIu64 " functions of %zu process%s in %s: 'spoor order' writes it for a linker",
			content.ordered, content.processes, content.processes == 1 ? "" : "es", path);
	} else if (content.counted && (!record->quiet || totals->lost)) {
		message("%" PRIu64 " calls counted and %" PRIu64 " events of %zu process%s in %s, %" PRIu64 " lost",
			content.counted, totals->events, content.processes, content.processes == 1 ? "" : "es", path, totals->lost);
	} else if (!record->quiet || totals->lost) {
		message("%" PRIu64 " event%s of %zu process%s in %s, %" PRIu64 " lost", totals->events,
			totals->events == 1 ? "" : "s", content.processes, content.processes == 1 ? "" : "es", path, totals->lost);
	}
}
