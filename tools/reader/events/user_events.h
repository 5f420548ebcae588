/* SPDX-License-Identifier: MIT */
/*
 * user_events.h - finds the names of the types of a program's own events, and the strings that
 * payloads refer to.
 */
#ifndef SPOOR_READER_USER_EVENTS_H
#define SPOOR_READER_USER_EVENTS_H

#include "reader/events/thread_events.h"

/* Size of a type's name and a string of the greatest length, with the text around them. */
#define USER_EVENT_TEXT_MAX (2 * 4096 + 128)

/* Returns the name of a type, or null. */
const char *user_event_name(const struct process *process, uint32_t type);

/* Returns the string that the event's first payload refers to, or null if the payload is a number. */
const char *user_event_string(const struct process *process, const struct event *event);

/*
 * Returns whether the event is a value of a counter (spoor/scope.h). The name of its type is the
 * counter's.
 * @index: receives the position of the type among the process's types
 */
bool user_event_is_counter(const struct process *process, const struct event *event, size_t *index);

/* Returns whether a type is a counter's, and the latest definition with its number. */
bool event_type_is_counter(const struct process *process, size_t index);

/* Writes "request: 17, 3", or "user event 0x80000001: 17, 3" if the type has no name. */
void user_event_text(const struct process *process, const struct event *event, char *text, size_t size);

#endif
