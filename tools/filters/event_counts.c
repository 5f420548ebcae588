/* SPDX-License-Identifier: MIT */
/* event_counts.c - counts the events of each function in a trace, by linkage name. */
#include "filters/event_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "reader/symbols/symbol_file.h"

struct reading {
	struct filters_events *events;
	struct totals totals;
};

static int compare_names(const void *left, const void *right)
{
	const struct named_events *a = left, *b = right;

	return strcmp(a->linkage, b->linkage);
}

static void exit_without_memory(void)
{
	message("out of memory for the functions");
	exit(SPOOR_EXIT_BAD_TRACE);
}

/* Merges entries of the same name, which must be neighbours. */
static void merge_duplicates(struct filters_events *events)
{
	size_t kept = 0;

	for (size_t i = 0; i < events->count; i++) {
		if (kept && strcmp(events->list[kept - 1].linkage, events->list[i].linkage) == 0) {
			events->list[kept - 1].events += events->list[i].events;
			free(events->list[i].linkage);
		} else {
			events->list[kept++] = events->list[i];
		}
	}
	events->count = kept;
}

static void collect_events(void *context)
{
	struct reading *reading = context;
	struct filters_events *events = reading->events;
	const struct report_table *table = &reading->totals.table;

	events->list = malloc((table->row_count + 1) * sizeof(*events->list));
	if (!events->list)
		exit_without_memory();
	for (size_t i = 0; i < table->row_count; i++) {
		const struct report_row *row = &table->rows[i];
		const char *linkage = row->symbols ? symbol_file_linkage(row->symbols, row->local) : NULL;
		struct named_events *one = &events->list[events->count];

		events->all += 2 * filters_calls(row);
		if (!linkage)
			continue;
		*one = (struct named_events){ strdup(linkage), 2 * filters_calls(row) };
		if (!one->linkage)
			exit_without_memory();
		events->count++;
	}
	qsort(events->list, events->count, sizeof(*events->list), compare_names);
	merge_duplicates(events);
}

int filters_events_read(struct filters_events *events, const struct filters_command *command)
{
	struct reading reading = { .events = events };
	int status = filters_walk(command, &reading.totals, collect_events, &reading);

	totals_free(&reading.totals);
	return status;
}

void filters_events_free(struct filters_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		free(events->list[i].linkage);
	free(events->list);
}

uint64_t filters_events_of(const struct filters_events *events, const char *linkage)
{
	struct named_events key = { (char *)linkage, 0 }, *found;

	found = events->count ? bsearch(&key, events->list, events->count, sizeof(key), compare_names) : NULL;
	return found ? found->events : 0;
}
