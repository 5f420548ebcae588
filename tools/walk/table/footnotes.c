/* SPDX-License-Identifier: MIT */
/* footnotes.c - writes the notes at the end of a report, which say how far its numbers can be trusted. */
#include <stdio.h>

#include "walk/table/table.h"

struct note {
	uint64_t count;
	const char *key;	/* in JSON */
	const char *one, *many;
};

#define NOTE_COUNT 13

static void take_notes(const struct report_table *table, size_t shown, struct note notes[NOTE_COUNT])
{
	/* Version 0 records no path of a file in which debug information could be. */
	static const char *const names[][2] = {
		{ "function has no name: a debug file may have it (--debug-directory, --debuginfod)",
		  "functions have no name: debug files may have them (--debug-directory, --debuginfod)" },
		{ "function has no name: a debug file or a file of symbols may have it (--debug-directory, --debuginfod, --symbols)",
		  "functions have no name: debug files or files of symbols may have them (--debug-directory, --debuginfod, "
		  "--symbols)" },
		{ "function has no name: a file of symbols may have it (--symbols)",
		  "functions have no name: a file of symbols may have them (--symbols)" },
	};
	const char *const *way = names[!table->fileless ? 0 : table->fileless < table->nameless ? 1 : 2];
	const bool functions = table->look.group == GROUP_FUNCTION;
	const struct note all[NOTE_COUNT] = {
		{ table->row_count - shown, "rows_not_shown",
		  functions ? "function is not shown: --limit" : "row is not shown: --limit",
		  functions ? "functions are not shown: --limit" : "rows are not shown: --limit" },
		{ table->losses, "places_with_losses",
		  "place where events are missing: times around it are unreliable",
		  "places where events are missing: times around them are unreliable" },
		{ table->repaired, "calls_left", "call was left without returning; it ends where a caller returned",
		  "calls were left without returning; they end where a caller returned" },
		{ table->gaps, "gaps",
		  "place where calls of a thread are missing for a time: its open calls end there",
		  "places where calls of a thread are missing for a time: its open calls end there" },
		{ table->roots, "calls_begun_before",
		  "call was open before recording began: it is not counted, and its time starts there",
		  "calls were open before recording began: they are not counted, and their times start there" },
		{ table->counted, "calls_counted", "call was counted: it has no times",
		  "calls were counted: they have no times" },
		{ table->counted_lost, "calls_not_counted", "call could not be counted", "calls could not be counted" },
		{ table->counts_left_out, "processes_with_counts_left_out",
		  "process also has counts, which are omitted: --thread, --time and --min-duration cannot select them",
		  "processes also have counts, which are omitted: --thread, --time and --min-duration cannot select "
		  "them" },
		{ table->orphans, "returns_without_entry", "return of a function whose entry is not in the trace",
		  "returns of functions whose entry is not in the trace" },
		{ table->nameless, "functions_without_name", way[0], way[1] },
		{ table->sched_lost, "sched_lost",
		  "switch or page fault is missing: times of running and waiting are not exact",
		  "switches or page faults are missing: times of running and waiting are not exact" },
		{ table->cpu_times_missing, "calls_without_cpu_time",
		  "call has no processor time: it ended with a tail call, or without an exit",
		  "calls have no processor time: they ended with a tail call, or without an exit" },
		{ table->hits, "tracepoint_hits", "hit of a static tracepoint was counted: it has no time",
		  "hits of static tracepoints were counted: they have no times" },
	};

	for (size_t i = 0; i < NOTE_COUNT; i++)
		notes[i] = all[i];
}

/* Writes "10.42", or "10.42 to 11.00". */
static void put_cost(const struct report_table *table, const char *to, struct output *out)
{
	char text[80];

	if (table->least_event_ps == table->most_event_ps)
		snprintf(text, sizeof(text), "%.2f", (double)table->least_event_ps / 1e3);
	else
		snprintf(text, sizeof(text), "%.2f%s%.2f", (double)table->least_event_ps / 1e3, to,
			 (double)table->most_event_ps / 1e3);
	output_string(out, text);
}

void report_notes_text(const struct report_table *table, size_t shown, struct output *out)
{
	struct note notes[NOTE_COUNT];

	take_notes(table, shown, notes);
	for (size_t i = 0; i < NOTE_COUNT; i++) {
		if (!notes[i].count)
			continue;
		output_string(out, "# ");
		output_grouped(out, notes[i].count, 0);
		output_char(out, ' ');
		output_string(out, notes[i].count == 1 ? notes[i].one : notes[i].many);
		output_char(out, '\n');
	}
	if (table->most_event_ps) {
		output_string(out, "# ");
		put_cost(table, " to ", out);
		output_string(out, " ns are subtracted for each event within a call: --compensate\n");
	}
	report_losses_write(&table->lost, out);
}

void report_notes_json(const struct report_table *table, size_t shown, struct output *out)
{
	struct note notes[NOTE_COUNT];

	take_notes(table, shown, notes);
	output_string(out, ",\n \"event_cost_ns\": ");
	if (table->most_event_ps) {
		output_char(out, '[');
		put_cost(table, ", ", out);
		output_char(out, ']');
	} else {
		output_string(out, "null");
	}
	for (size_t i = 0; i < NOTE_COUNT; i++) {
		output_string(out, i ? ", \"" : ",\n \"notes\": {\"");
		output_string(out, notes[i].key);
		output_string(out, "\": ");
		output_number(out, notes[i].count);
	}
	output_char(out, '}');
	report_losses_json(&table->lost, out);
}
