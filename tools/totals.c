/* SPDX-License-Identifier: MIT */
/* totals.c - calls and times of each function, over all processes of a trace. */
#include "totals.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "patterns.h"

static void no_memory(void)
{
	message("no memory for so many functions");
	exit(SPOOR_EXIT_BAD_TRACE);
}

static void grow_list(struct totals *totals, uint32_t number)
{
	uint32_t count = number < 128 ? 256 : 2 * number;
	struct report_statistics *list = reallocarray(totals->list, count, sizeof(*list));

	if (!list)
		no_memory();
	memset(list + totals->list_count, 0, (count - totals->list_count) * sizeof(*list));
	totals->list = list;
	totals->list_count = count;
}

void totals_enter(void *context, const struct call *call, size_t depth)
{
	struct totals *totals = context;

	(void)depth;
	if (__builtin_expect(call->function >= totals->list_count, 0))
		grow_list(totals, call->function);
	totals->list[call->function].open++;
}

void totals_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct totals *totals = context;
	struct report_statistics *statistics = &totals->list[call->function];
	uint64_t duration_ns = call_duration(call, end_ns);

	(void)depth, (void)how;
	statistics->self_ns += duration_ns > call->inner_ns ? duration_ns - call->inner_ns : 0;
	if (!--statistics->open)
		statistics->total_ns += duration_ns;
	if (call->root) {
		statistics->roots++;
		return;
	}
	if (!statistics->calls || duration_ns < statistics->min_ns)
		statistics->min_ns = duration_ns;
	statistics->calls += !call->resumed;
	if (duration_ns > statistics->max_ns)
		statistics->max_ns = duration_ns;
	statistics->sum_ns += duration_ns;
}

void totals_process_begin(struct totals *totals, const struct process *process, struct functions *functions)
{
	totals->process = process;
	totals->functions = functions;
}

void totals_thread_end(struct totals *totals, const struct call_tree *tree)
{
	totals->table.repaired += tree->repaired;
	totals->table.orphans += tree->orphans;
	totals->table.losses += tree->losses;
	totals->table.gaps += tree->gaps;
	totals->table.roots += tree->roots;
}

/* The row of a function: the same in all processes, for all instances of its module. */
static struct report_row *find_row(struct totals *totals, uint32_t number)
{
	const struct function *function = &totals->functions->list[number];
	const struct symbol_file *symbols = function->symbols;
	uint32_t *at = symbols ? map64_at(&totals->row_of, (uint64_t)symbols->number << 32 | function->id) :
				 map64_at(&totals->row_of_unknown, function->id);
	struct report_row *row;

	if (!at)
		no_memory();
	if (*at)
		return &totals->table.rows[*at - 1];
	if (totals->table.row_count == totals->row_capacity) {
		size_t capacity = totals->row_capacity ? 2 * totals->row_capacity : 256;
		struct report_row *rows = reallocarray(totals->table.rows, capacity, sizeof(*rows));

		if (!rows)
			no_memory();
		totals->table.rows = rows;
		totals->row_capacity = capacity;
	}
	row = &totals->table.rows[totals->table.row_count++];
	*at = (uint32_t)totals->table.row_count;
	*row = (struct report_row){
		.name = strdup(function_name(totals->functions, number)),
		.library = function_library(totals->functions, number),
		.symbols = function->symbols,
		.local = (uint32_t)function->id,
	};
	if (!row->name)
		no_memory();
	return row;
}

/* What was counted, and no thread's. */
static void add_counts(struct totals *totals)
{
	const struct count_file *counts = &totals->process->counts;

	if (totals->counts_unfit) {
		totals->table.counts_left_out += counts->calls != 0;
		return;
	}
	for (uint32_t index = 0; index < counts->end; index++) {
		uint32_t number;

		if (!counts->counts[index])
			continue;
		number = functions_number(totals->functions, index, UINT64_MAX);
		if (!number)
			no_memory();
		if (totals->libraries && !library_matches(totals->functions, number, totals->libraries))
			continue;
		if (number >= totals->list_count)
			grow_list(totals, number);
		totals->list[number].counted += counts->counts[index];
	}
	totals->table.counted_lost += counts->lost;
}

/* Folds a process into the rows. */
void totals_process_end(struct totals *totals)
{
	add_counts(totals);
	for (uint32_t i = 1; i < totals->list_count; i++) {
		const struct report_statistics *one = &totals->list[i];
		struct report_statistics *all;

		if (!(one->calls + one->counted + one->roots) ||
		    (totals->patterns && !function_matches(totals->functions, i, totals->patterns)))
			continue;
		all = &find_row(totals, i)->statistics;
		all->counted += one->counted;
		totals->table.counted += one->counted;
		all->roots += one->roots;
		all->total_ns += one->total_ns;
		all->self_ns += one->self_ns;
		if (!one->calls)
			continue;
		if (!all->calls || one->min_ns < all->min_ns)
			all->min_ns = one->min_ns;
		if (one->max_ns > all->max_ns)
			all->max_ns = one->max_ns;
		all->calls += one->calls;
		all->sum_ns += one->sum_ns;
	}
	free(totals->list);
	totals->list = NULL;
	totals->list_count = 0;
}

void totals_free(struct totals *totals)
{
	for (size_t i = 0; i < totals->table.row_count; i++)
		free(totals->table.rows[i].name);
	free(totals->table.rows);
	free(totals->list);
	map64_free(&totals->row_of);
	map64_free(&totals->row_of_unknown);
}
