/* SPDX-License-Identifier: MIT */
/*
 * tracer_cost.c - finds the functions for which recording takes more time than the function.
 *
 * A function is mostly tracer in two cases. First: its average self time is below the cost of its two
 * events. Second: half of its calls take less than that, and nine of ten less than four times that. The
 * second case matters because one call during which the thread lost its processor raises the average.
 * Of a long trace only the beginning is read, so that spoor info stays quick.
 */
#include "info/tracer_cost.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fitted.h"
#include "base/progress.h"
#include "walk/totals.h"

#define SLICES_MAX 4096u	/* about 16 million events, which take half a second */
#define SHOWN_MAX 5u
/* A function with less than this part of all calls is not shown: excluding it would save little. */
#define SHARE_LEAST 1000u

struct sample {
	struct totals totals;	/* must be first: it is the context of the calls */
	uint32_t slices, slices_max;	/* slices read of the current thread, and their limit for each thread */
	uint64_t events;	/* entries and exits */
	bool is_cut;
};

static bool is_sample_complete(void *context)
{
	struct sample *sample = context;

	if (++sample->slices < sample->slices_max)
		return false;
	sample->is_cut = true;
	return true;
}

/* Adds up the calls. Returns 0, or a negative errno. Slices that cannot be unpacked are skipped without a message. */
static int sum_calls(struct sample *sample, struct process *process, struct functions *functions)
{
	struct call_sink calls = totals_calls(&sample->totals);
	struct call_tree tree = { 0 };
	int error = totals_process_begin(&sample->totals, process, functions);

	calls.context = sample;
	calls.stop = is_sample_complete;
	if (process->threads.count)
		sample->slices_max = SLICES_MAX / (uint32_t)(process->threads.count < SLICES_MAX ? process->threads.count : SLICES_MAX) + 1;
	progress_begin("walking", process->event_bytes);
	for (size_t i = 0; i < process->threads.count && !error; i++) {
		struct thread_events events;

		sample->slices = 0;
		thread_events_begin(&events, process, functions, process->threads.threads[i]);
		error = call_tree_walk(&tree, &events, &calls);
		thread_events_end(&events);
	}
	progress_begin("", 0);
	call_tree_free(&tree);
	if (!error)
		totals_process_end(&sample->totals);
	return error;
}

/* Orders functions with more calls first. */
static int compare_rows(const void *left, const void *right)
{
	const struct report_row *a = left, *b = right;

	if (a->statistics.calls != b->statistics.calls)
		return a->statistics.calls > b->statistics.calls ? -1 : 1;
	return strcmp(a->name, b->name);
}

static bool is_mostly_tracer(const struct report_statistics *statistics, uint64_t event_ps)
{
	report_square events_ps = (report_square)event_ps * 2;

	return (report_square)statistics->self_ns * 1000 < events_ps * statistics->calls ||
	       ((report_square)report_statistics_percentile(statistics, 50) * 1000 < events_ps &&
		(report_square)report_statistics_percentile(statistics, 90) * 1000 < 4 * events_ps);
}

/* Keeps only the rows of functions that are mostly tracer. */
static void choose_rows(struct sample *sample, uint64_t event_ps)
{
	struct report_table *table = &sample->totals.table;
	uint64_t calls = 0;
	size_t kept = 0;

	for (size_t i = 0; i < table->row_count; i++)
		calls += table->rows[i].statistics.calls;
	sample->events = 2 * calls;
	for (size_t i = 0; i < table->row_count; i++) {
		struct report_row row = table->rows[i];

		if (row.statistics.calls <= calls / SHARE_LEAST || !is_mostly_tracer(&row.statistics, event_ps))
			continue;
		table->rows[i] = table->rows[kept];
		table->rows[kept++] = row;
	}
	if (kept)
		qsort(table->rows, kept, sizeof(*table->rows), compare_rows);
	for (size_t i = kept; i < table->row_count; i++)
		report_row_free(&table->rows[i]);
	table->row_count = kept;
}

static void print_functions(const struct sample *sample)
{
	const struct report_table *table = &sample->totals.table;

	if (!table->row_count)
		return;
	fitted_print("  mostly tracer   %zu function%s: half of the calls, or the average call without its callees,\n"
	       "                  take less time than the two events that record a call\n", table->row_count,
	       table->row_count == 1 ? "" : "s");
	if (sample->is_cut)
		fitted_print("                  counted in the first %" PRIu64 " events of all threads:\n", sample->events);
	for (size_t i = 0; i < table->row_count && i < SHOWN_MAX; i++) {
		const struct report_statistics *statistics = &table->rows[i].statistics;

		fitted_print("    %12" PRIu64 "  calls, half of them %" PRIu64 " ns or less, average self time %.1f ns: "
		"%s, %s\n",
		       statistics->calls, report_statistics_percentile(statistics, 50),
		       (double)statistics->self_ns / (double)statistics->calls, table->rows[i].name, table->rows[i].library);
	}
	if (table->row_count > SHOWN_MAX)
		fitted_print("                  and %zu more\n", table->row_count - SHOWN_MAX);
	fitted_print("                  'spoor filters --suggest' writes rules that exclude from a build those with\n"
	       "                  little average self time; 'spoor record --function' keeps any dormant\n");
}

int info_print_tracer(struct process *process)
{
	uint64_t event_ps = process_event_ps(process);
	struct sample sample = { 0 };
	struct functions functions;
	int error;

	if (!event_ps || !process_words(process))
		return 0;
	fitted_print("  event cost      %.1f ns at least, measured when recording began\n", (double)event_ps / 1e3);
	error = functions_begin(&functions, process);
	if (error)
		return error;
	error = sum_calls(&sample, process, &functions);
	if (!error) {
		choose_rows(&sample, event_ps);
		print_functions(&sample);
	}
	totals_free(&sample.totals);
	functions_end(&functions);
	return error;
}
