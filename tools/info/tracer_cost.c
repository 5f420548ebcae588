/* SPDX-License-Identifier: MIT */
/*
 * tracer_cost.c - what our own events cost in a process, and where that is most of the time.
 *
 * That is a function whose own time in an average call is less than its two events cost; or half
 * of whose calls take less in all, and nine of ten less than four times that, for where the
 * processor was taken away in a single one an average says little. A long trace is judged by
 * its beginning: so spoor info stays quick.
 */
#include "info/tracer_cost.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "walk/totals.h"

#define SLICES_MAX 4096u	/* 16 million events: half a second */
#define SHOWN_MAX 5u
/* What has less of all calls is not worth leaving out. */
#define SHARE_LEAST 1000u

struct sample {
	struct totals totals;	/* the first: it is the calls' context */
	uint32_t slices, slices_max;	/* of a thread */
	uint64_t events;	/* of calls */
	bool is_cut;
};

static bool has_enough(void *context)
{
	struct sample *sample = context;

	if (++sample->slices < sample->slices_max)
		return false;
	sample->is_cut = true;
	return true;
}

/* Return: 0 or a negative errno. What cannot be unpacked is left out: replay and report tell of it. */
static int take_calls(struct sample *sample, struct process *process, struct functions *functions)
{
	struct call_sink calls = totals_calls(&sample->totals);
	struct call_tree tree = { 0 };
	int error = totals_process_begin(&sample->totals, process, functions);

	calls.context = sample;
	calls.stop = has_enough;
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

/* Most calls first. */
static int compare(const void *left, const void *right)
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

/* Keeps rows of functions that are mostly tracer. */
static void choose(struct sample *sample, uint64_t event_ps)
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
		qsort(table->rows, kept, sizeof(*table->rows), compare);
	for (size_t i = kept; i < table->row_count; i++)
		report_row_free(&table->rows[i]);
	table->row_count = kept;
}

static void show(const struct sample *sample)
{
	const struct report_table *table = &sample->totals.table;

	if (!table->row_count)
		return;
	printf("  mostly tracer   %zu function%s: half of the calls take less time than their two events,\n"
	       "                  or an average one does, without what it calls\n", table->row_count,
	       table->row_count == 1 ? "" : "s");
	if (sample->is_cut)
		printf("                  of the first %" PRIu64 " events, the beginning of each thread:\n", sample->events);
	for (size_t i = 0; i < table->row_count && i < SHOWN_MAX; i++) {
		const struct report_statistics *statistics = &table->rows[i].statistics;

		printf("    %12" PRIu64 "  calls, half of them of %" PRIu64 " ns or less, on average %.1f ns of its own: %s, %s\n",
		       statistics->calls, report_statistics_percentile(statistics, 50),
		       (double)statistics->self_ns / (double)statistics->calls, table->rows[i].name, table->rows[i].library);
	}
	if (table->row_count > SHOWN_MAX)
		printf("                  and %zu more\n", table->row_count - SHOWN_MAX);
	printf("                  'spoor filters --suggest' writes rules that leave those out of a build that have little\n"
	       "                  time of their own on average, 'spoor record --function' leaves any asleep\n");
}

int info_tracer(struct process *process)
{
	uint64_t event_ps = process_event_ps(process);
	struct sample sample = { 0 };
	struct functions functions;
	int error;

	if (!event_ps || !process_words(process))
		return 0;
	printf("  event cost      %.1f ns at least, measured when recording began\n", (double)event_ps / 1e3);
	error = functions_begin(&functions, process);
	if (error)
		return error;
	error = take_calls(&sample, process, &functions);
	if (!error) {
		choose(&sample, event_ps);
		show(&sample);
	}
	totals_free(&sample.totals);
	functions_end(&functions);
	return error;
}
