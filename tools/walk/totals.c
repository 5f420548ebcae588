/* SPDX-License-Identifier: MIT */
/* totals.c - sums up calls and times of each function over all processes of a trace. */
#include "walk/totals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "walk/pattern_options.h"

void totals_no_memory(void)
{
	message("out of memory for the functions");
	exit(SPOOR_EXIT_BAD_TRACE);
}

static void grow_list(struct totals *totals, uint32_t number)
{
	uint32_t count = number < 128 ? 256 : 2 * number;
	struct report_statistics *list = reallocarray(totals->list, count, sizeof(*list));

	if (!list)
		totals_no_memory();
	memset(list + totals->list_count, 0, (count - totals->list_count) * sizeof(*list));
	totals->list = list;
	totals->list_count = count;
}

static inline struct report_statistics *statistics_of(struct totals *totals, uint32_t number)
{
	if (__builtin_expect(number >= totals->list_count, 0))
		grow_list(totals, number);
	return &totals->list[number];
}

static inline void end_call(struct report_statistics *statistics, const struct call *call, uint64_t duration_ns,
			    uint64_t self_ns)
{
	statistics->self_ns += self_ns;
	if (!--statistics->open)
		statistics->total_ns += duration_ns;
	if (__builtin_expect(call->resumed, 0)) {
		statistics->roots += call->root;
		statistics->resumed += !call->root;
		if (call->root)
			return;
	}
	if (report_statistics_add(statistics, duration_ns))
		totals_no_memory();
}

/* Adds the processor time of an outermost call. */
static __attribute__((noinline)) void add_cpu_time(struct totals *totals, struct report_statistics *statistics,
						   const struct call *call, uint64_t duration_ns)
{
	uint64_t begin_ns, end_ns;

	if (!call_values_cpu_time(call->arguments, &begin_ns))
		return;
	if (!call_values_cpu_time(call->result, &end_ns) || end_ns < begin_ns) {
		totals->table.cpu_times_missing++;
	} else if (statistics->open == 1) {
		statistics->has_cpu_time = true;
		statistics->cpu_time_of_ns += duration_ns;
		/* The clock is read just outside the call. */
		statistics->cpu_time_ns += end_ns - begin_ns < duration_ns ? end_ns - begin_ns : duration_ns;
	}
}

static uint64_t call_self(const struct call *call, uint64_t duration_ns)
{
	return duration_ns > call->inner_ns ? duration_ns - call->inner_ns : 0;
}

/* For calls of functions, which most reports show. */
static void enter_function(void *context, const struct call *call, size_t depth)
{
	(void)depth;
	statistics_of(context, call->function)->open++;
}

static void leave_function(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct totals *totals = context;
	uint64_t duration_ns = call_duration(call, end_ns);

	(void)depth, (void)how;
	if (__builtin_expect(call->arguments != NULL, 0))
		add_cpu_time(totals, &totals->list[call->function], call, duration_ns);
	end_call(&totals->list[call->function], call, duration_ns, call_self(call, duration_ns));
}

/* The same for rows of any kind, and with the cost of events subtracted if the user chose that. */
struct report_statistics *totals_statistics(struct totals *totals, uint32_t number)
{
	struct report_row *row;

	if (totals->table.look.group == GROUP_FUNCTION)
		return statistics_of(totals, number);
	row = totals_group_row(totals, number);
	return row ? &row->statistics : NULL;
}

static void enter_any(void *context, const struct call *call, size_t depth)
{
	struct totals *totals = context;
	struct report_statistics *statistics = totals_statistics(totals, call->function);

	if (statistics)
		statistics->open++;
	if (totals->compensation.event_ps && compensation_enter(&totals->compensation, depth))
		totals_no_memory();
}

static void leave_any(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct totals *totals = context;
	struct report_statistics *statistics = totals_statistics(totals, call->function);
	uint64_t duration_ns = call_duration(call, end_ns), self_ns = call_self(call, duration_ns);

	(void)how;
	if (totals->compensation.event_ps)
		compensation_leave(&totals->compensation, depth, &duration_ns, &self_ns);
	if (statistics && call->arguments)
		add_cpu_time(totals, statistics, call, duration_ns);
	if (statistics)
		end_call(statistics, call, duration_ns, self_ns);
}

/* The same, with times divided into running and waiting. */
static void enter_sched(void *context, const struct call *call, size_t depth)
{
	totals_sched_enter(context, call, depth);
	enter_any(context, call, depth);
}

static void leave_sched(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	totals_sched_leave(context, call, depth, end_ns);
	leave_any(context, call, depth, end_ns, how);
}

void totals_other(void *context, const struct event *event, size_t depth)
{
	struct totals *totals = context;

	(void)depth;
	if (event->kind == EVENT_TRACEPOINT && totals->table.look.group == GROUP_FUNCTION)
		statistics_of(totals, event->function)->counted++;
}

bool totals_are_divisible(const struct totals *totals)
{
	return totals->table.look.group == GROUP_FUNCTION && !totals->compensates;
}

bool totals_have_pieces(const struct totals *totals)
{
	/* A piece does not know what its thread did since the last event of the piece before. */
	return totals_are_divisible(totals) && !totals->wants_sched;
}

struct call_sink totals_calls(struct totals *totals)
{
	bool simple = totals_are_divisible(totals) && !totals->wants_sched;

	return (struct call_sink){
		.context = totals,
		.enter = totals->wants_sched ? enter_sched : simple ? enter_function : enter_any,
		.leave = totals->wants_sched ? leave_sched : simple ? leave_function : leave_any,
	};
}

int totals_process_begin(struct totals *totals, const struct process *process, struct functions *functions)
{
	struct report_table *table = &totals->table;
	uint64_t measured_ps = process_event_ps(process);
	uint64_t event_ps = totals->given_event_ps ? totals->given_event_ps : measured_ps;

	totals->process = process;
	totals->functions = functions;
	if (table->look.group == GROUP_PROCESS)
		totals_own_row(totals, NULL);
	if (measured_ps && (!totals->measured_event_ps || measured_ps < totals->measured_event_ps))
		totals->measured_event_ps = measured_ps;
	if (totals->wants_sched && process->sched && !process->sched->losses_are_told) {
		table->sched_lost += process->sched->lost;
		process->sched->losses_are_told = true;
	}
	/* Counted calls have no times to subtract from. */
	if (!totals->compensates || !process_words(process))
		return 0;
	if (!event_ps) {
		message("%s: the trace does not contain the cost of an event: use --compensate=TIME",
			process->path);
		return -ENODATA;
	}
	totals->compensation.event_ps = event_ps;
	if (!table->least_event_ps || event_ps < table->least_event_ps)
		table->least_event_ps = event_ps;
	if (event_ps > table->most_event_ps)
		table->most_event_ps = event_ps;
	return 0;
}

void totals_thread_end(struct totals *totals, const struct call_tree *tree)
{
	totals->table.repaired += tree->repaired;
	totals->table.orphans += tree->orphans;
	totals->table.losses += tree->losses;
	totals->table.gaps += tree->gaps;
	totals->table.roots += tree->roots;
}

struct report_row *totals_add_row(struct totals *totals)
{
	struct report_table *table = &totals->table;

	if (table->row_count == totals->row_capacity) {
		size_t capacity = totals->row_capacity ? 2 * totals->row_capacity : 256;
		struct report_row *rows = reallocarray(table->rows, capacity, sizeof(*rows));

		if (!rows)
			totals_no_memory();
		table->rows = rows;
		totals->row_capacity = capacity;
	}
	table->rows[table->row_count] = (struct report_row){ 0 };
	return &table->rows[table->row_count++];
}

size_t totals_row(struct totals *totals, uint32_t number)
{
	const struct function *function = &totals->functions->list[number];
	const struct symbol_file *symbols = function->symbols;
	uint32_t *at = symbols ? map64_at(&totals->row_of, (uint64_t)symbols->build << 32 | function->id) :
				 map64_at(&totals->row_of_unknown, function->id);
	struct report_row *row;

	if (!at)
		totals_no_memory();
	if (*at)
		return *at - 1;
	row = totals_add_row(totals);
	*at = (uint32_t)totals->table.row_count;
	row->name = strdup(function_name(totals->functions, number));
	row->short_name = strdup(function_short_name(totals->functions, number));
	row->library = strdup(function_library(totals->functions, number));
	row->symbols = function->symbols;
	row->is_tracepoint = function->is_tracepoint;
	row->local = (uint32_t)function->id;
	if (!function_has_name(totals->functions, number) && !function->is_tracepoint && !function->is_scope) {
		totals->table.nameless++;
		totals->table.fileless += !symbols && totals->functions->process->version0;
	}
	if (!row->name || !row->short_name || !row->library)
		totals_no_memory();
	if (totals->wants_places) {
		struct symbol_place place = function_place(totals->functions, number);

		row->file = place.path;
		row->line = place.line;
	}
	return *at - 1;
}

/* Adds the counted calls, which belong to no thread. */
static void add_counts(struct totals *totals)
{
	const struct count_file *counts = &totals->process->counts;

	if (totals->counts_unfit || totals->table.look.group == GROUP_THREAD) {
		totals->table.counts_left_out += counts->calls != 0;
		return;
	}
	for (uint32_t index = 0; index < counts->end; index++) {
		struct report_statistics *statistics;
		uint32_t number;

		if (!counts->counts[index])
			continue;
		number = functions_number(totals->functions, index, UINT64_MAX);
		if (!number)
			totals_no_memory();
		if (totals->libraries && !library_matches(totals->functions, number, totals->libraries))
			continue;
		if (totals->counted_functions && !function_matches(totals->functions, number, totals->counted_functions))
			continue;
		statistics = totals_statistics(totals, number);
		if (statistics)
			statistics->counted += counts->counts[index];
	}
	totals->table.counted_lost += counts->lost;
}

static bool has_any(const struct report_statistics *statistics)
{
	return statistics->durations || statistics->counted || statistics->roots;
}

/* Adds the functions of a process to the rows. */
static void add_functions_to_rows(struct totals *totals)
{
	for (uint32_t i = 1; i < totals->list_count; i++) {
		struct report_statistics *one = &totals->list[i];

		if (has_any(one) && (!totals->patterns || function_matches(totals->functions, i, totals->patterns))) {
			size_t row = totals_row(totals, i);	/* may move the rows */

			if (report_statistics_merge(&totals->table.rows[row].statistics, one))
				totals_no_memory();
		}
		histogram_free(&one->histogram);
	}
	free(totals->list);
	totals->list = NULL;
	totals->list_count = 0;
}

void totals_part_begin(const struct totals *totals, struct totals *part, struct functions *functions)
{
	*part = (struct totals){ .functions = functions, .process = totals->process, .wants_sched = totals->wants_sched };
}

void totals_part_end(struct totals *totals, struct totals *part, const uint32_t *numbers)
{
	for (uint32_t i = 1; i < part->list_count; i++) {
		struct report_statistics *one = &part->list[i];

		if (numbers && has_any(one) && report_statistics_merge(statistics_of(totals, numbers[i]), one))
			totals_no_memory();
		histogram_free(&one->histogram);
	}
	free(part->list);
	thread_sched_free(&part->sched);
	free(part->open_functions);
	totals->table.repaired += part->table.repaired;
	totals->table.orphans += part->table.orphans;
	totals->table.losses += part->table.losses;
	totals->table.gaps += part->table.gaps;
	totals->table.roots += part->table.roots;
	totals->table.cpu_times_missing += part->table.cpu_times_missing;
}

void totals_piece_begin(struct totals *part, const struct call *open, size_t depth)
{
	for (size_t i = 0; i < depth; i++)
		statistics_of(part, open[i].function)->open++;
}

void totals_piece_end(struct totals *part, const struct call *open, size_t depth)
{
	for (size_t i = 0; i < depth; i++)
		part->list[open[i].function].open--;
}

/* Removes rows of threads or processes without calls: their row is made before their first call. */
static void drop_idle_rows(struct totals *totals)
{
	struct report_table *table = &totals->table;
	size_t kept = 0;

	for (size_t i = 0; i < table->row_count; i++) {
		if (has_any(&table->rows[i].statistics))
			table->rows[kept++] = table->rows[i];
		else
			report_row_free(&table->rows[i]);
	}
	table->row_count = kept;
}

void totals_process_end(struct totals *totals)
{
	add_counts(totals);
	add_functions_to_rows(totals);
	/* Function numbers belong to the process. */
	free(totals->group_of);
	totals->group_of = NULL;
	totals->group_of_count = 0;
	totals->own_row = 0;
	if (totals_has_own_row(totals))
		drop_idle_rows(totals);
	totals->table.counted = totals->table.hits = 0;
	for (size_t i = 0; i < totals->table.row_count; i++) {
		const struct report_row *row = &totals->table.rows[i];
		struct report_statistics *statistics = &totals->table.rows[i].statistics;

		statistics->calls = statistics->durations - statistics->resumed;
		*(row->is_tracepoint ? &totals->table.hits : &totals->table.counted) += statistics->counted;
	}
}

void totals_free(struct totals *totals)
{
	for (size_t i = 0; i < totals->table.row_count; i++)
		report_row_free(&totals->table.rows[i]);
	for (uint32_t i = 0; i < totals->list_count; i++)
		histogram_free(&totals->list[i].histogram);
	free(totals->table.rows);
	free(totals->list);
	free(totals->group_of);
	name_table_free(&totals->names);
	map64_free(&totals->row_of);
	map64_free(&totals->row_of_unknown);
	compensation_free(&totals->compensation);
	thread_sched_free(&totals->sched);
	free(totals->open_functions);
}
