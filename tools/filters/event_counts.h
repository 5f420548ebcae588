/* SPDX-License-Identifier: MIT */
/* event_counts.h - how many events the functions of a trace had, by linkage name. */
#ifndef SPOOR_TOOLS_FILTERS_EVENTS_H
#define SPOOR_TOOLS_FILTERS_EVENTS_H

#include "filters/filters_command.h"

struct named_events {
	char *linkage;
	uint64_t events;
};

struct filters_events {
	struct named_events *list;	/* in the order of names */
	size_t count;
	uint64_t all;			/* of those without a name, too */
};

/* filters_events_read - of command->trace_path. Return: an enum spoor_exit. Free it in each case. */
int filters_events_read(struct filters_events *events, const struct filters_command *command);
void filters_events_free(struct filters_events *events);

/* What all functions of that name had together; 0 for none. */
uint64_t filters_events_of(const struct filters_events *events, const char *linkage);

#endif
