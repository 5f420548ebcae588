/* SPDX-License-Identifier: MIT */
/*
 * user_events.h - what a program said of its own events: names of their types,
 * strings that stand behind their payloads.
 */
#ifndef SPOOR_READER_USER_EVENTS_H
#define SPOOR_READER_USER_EVENTS_H

#include "reader/events/thread_events.h"

/* Room for a type's name and a string, each with all that they may have. */
#define USER_EVENT_TEXT_MAX (2 * 4096 + 128)

/* What the type is called, or null. */
const char *user_event_name(const struct process *process, uint32_t type);

/* The string that is the event's first payload, or null where that is a number. */
const char *user_event_string(const struct process *process, const struct event *event);

/*
 * Whether the event is a value of a counter (spoor/scope.h). Its type's name is the counter's.
 * @index: set to the type's place among those of the process
 */
bool user_event_is_counter(const struct process *process, const struct event *event, size_t *index);

/* Whether a type is a counter's, and the last one with its number. */
bool event_type_is_counter(const struct process *process, size_t index);

/* "request: 17, 3", or "user event 0x80000001: 17, 3" where the type has no name. */
void user_event_text(const struct process *process, const struct event *event, char *text, size_t size);

#endif
