/* SPDX-License-Identifier: MIT */
/* user_events.c - finds the names and strings of a program's own events. */
#include "reader/events/user_events.h"

#include <inttypes.h>
#include <stdio.h>

/* Returns the latest definition that the program gave. */
static const struct event_type *find_type(const struct process *process, uint32_t type)
{
	for (size_t i = process->event_type_count; i-- > 0;)
		if (process->event_types[i].type == type)
			return &process->event_types[i];
	return NULL;
}

const char *user_event_name(const struct process *process, uint32_t type)
{
	const struct event_type *found = find_type(process, type);

	return found ? found->name : NULL;
}

const char *user_event_string(const struct process *process, const struct event *event)
{
	const struct event_type *type = find_type(process, event->user_type);

	return type && type->is_string ? process_string(process, event->user_payload_1) : NULL;
}

bool event_type_is_counter(const struct process *process, size_t index)
{
	const struct event_type *type = &process->event_types[index];

	return type->is_counter && find_type(process, type->type) == type;
}

bool user_event_is_counter(const struct process *process, const struct event *event, size_t *index)
{
	const struct event_type *type = find_type(process, event->user_type);

	if (!type || event->user_payload_2 || event->own_time)
		return false;
	*index = (size_t)(type - process->event_types);
	return event_type_is_counter(process, *index);
}

void user_event_text(const struct process *process, const struct event *event, char *text, size_t size)
{
	const char *name = user_event_name(process, event->user_type);
	const char *string = user_event_string(process, event);
	char number[40];
	size_t type;

	if (!name)
		snprintf(number, sizeof(number), "user event 0x%08" PRIx32, event->user_type);
	if (string)
		snprintf(text, size, "%s: \"%s\", %" PRIu32, name, string, event->user_payload_2);
	else if (user_event_is_counter(process, event, &type))
		snprintf(text, size, "%s: %" PRId64, name, (int64_t)event->user_payload_1);
	else
		snprintf(text, size, "%s: %" PRIu64 ", %" PRIu32, name ? name : number, event->user_payload_1,
			 event->user_payload_2);
}
