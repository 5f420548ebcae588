/* SPDX-License-Identifier: MIT */
/* event_counts.h - counts the events of each function in a trace, by linkage name. */
#ifndef SPOOR_TOOLS_FILTERS_EVENT_COUNTS_H
#define SPOOR_TOOLS_FILTERS_EVENT_COUNTS_H

#include "filters/filters_command.h"

struct named_events {
	char *linkage;		/* owned */
	uint64_t events;
};

struct filters_events {
	struct named_events *list;	/* sorted by name */
	size_t count;
	uint64_t all;			/* includes functions without a name */
};

/* Counts the events of command->trace_path. Returns an enum spoor_exit. The caller frees @events in any case. */
int filters_events_read(struct filters_events *events, const struct filters_command *command);
void filters_events_free(struct filters_events *events);

/* Returns the events of all functions with that name; 0 if there are none. */
uint64_t filters_events_of(const struct filters_events *events, const char *linkage);

#endif
