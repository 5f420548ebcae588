/* SPDX-License-Identifier: MIT */
/*
 * totals_groups.c - finds the row of a library, file, thread or process, which counts the calls of all
 * its functions. Nested calls within a row count their time once.
 */
#include <stdlib.h>
#include <string.h>

#include "walk/pattern_options.h"
#include "walk/totals.h"

static void grow_groups(struct totals *totals, uint32_t number)
{
	uint32_t count = number < 128 ? 256 : 2 * number;
	uint32_t *groups = reallocarray(totals->group_of, count, sizeof(*groups));

	if (!groups)
		totals_no_memory();
	memset(groups + totals->group_of_count, 0, (count - totals->group_of_count) * sizeof(*groups));
	totals->group_of = groups;
	totals->group_of_count = count;
}

/* Returns the position of the row, from 1. */
static uint32_t named_row(struct totals *totals, const char *name)
{
	uint32_t position = name_table_add(&totals->names, name, "");
	struct report_row *row;
	char *copy;

	if (!position)
		totals_no_memory();
	if (position <= totals->table.row_count)
		return position;
	copy = strdup(name);
	if (!copy)
		totals_no_memory();
	row = totals_add_row(totals);
	if (totals->table.look.group == GROUP_LIBRARY)
		row->library = copy;
	else
		row->file = copy;
	return position;
}

static uint32_t find_group(struct totals *totals, uint32_t number)
{
	struct symbol_place place;
	uint32_t position;

	if (totals->patterns && !function_matches(totals->functions, number, totals->patterns))
		return TOTALS_NO_GROUP;
	if (totals_has_own_row(totals))
		return 1;	/* any function has the current row */
	if (totals->table.look.group == GROUP_LIBRARY)
		return named_row(totals, function_library(totals->functions, number));
	place = function_place(totals->functions, number);
	position = named_row(totals, place.path ? place.path : "?");
	free(place.path);
	return position;
}

struct report_row *totals_group_row(struct totals *totals, uint32_t number)
{
	uint32_t position;

	if (number >= totals->group_of_count)
		grow_groups(totals, number);
	position = totals->group_of[number];
	if (!position)
		position = totals->group_of[number] = find_group(totals, number);
	if (position == TOTALS_NO_GROUP)
		return NULL;
	if (totals_has_own_row(totals))
		position = totals->own_row;
	return &totals->table.rows[position - 1];
}

bool totals_has_own_row(const struct totals *totals)
{
	return totals->table.look.group == GROUP_THREAD || totals->table.look.group == GROUP_PROCESS;
}

void totals_own_row(struct totals *totals, const struct thread_slices *thread)
{
	struct report_row *row = totals_add_row(totals);

	row->process_id = totals->process->process_id;
	row->process_name = strdup(process_title(totals->process));
	if (!row->process_name)
		totals_no_memory();
	if (thread) {
		row->thread_id = thread->thread_id;
		row->thread_name = thread->name ? strdup(thread->name) : NULL;
	}
	totals->own_row = (uint32_t)totals->table.row_count;
}

int totals_thread_begin(struct totals *totals, const struct thread_slices *thread)
{
	if (totals->table.look.group == GROUP_THREAD)
		totals_own_row(totals, thread);
	return totals->wants_sched ? totals_sched_begin(totals, thread) : 0;
}
