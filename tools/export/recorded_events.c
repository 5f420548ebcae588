/* SPDX-License-Identifier: MIT */
/*
 * recorded_events.c - gives formats the events of a thread as recorded, with the times in which it had no processor,
 * and names the kinds of events.
 */
#include <inttypes.h>
#include <stdio.h>

#include "export/export.h"
#include "export/wait_states.h"

const char *export_event_word(const struct event *event)
{
	static const char *const kinds[] = {
		[EVENT_ENTRY] = "entry", [EVENT_EXIT] = "exit", [EVENT_TAIL_EXIT] = "tail_exit",
		[EVENT_FRAME] = "frame", [EVENT_UNWIND] = "unwind", [EVENT_SWITCH] = "leaves_stack",
		[EVENT_LOST] = "lost", [EVENT_USER] = "user", [EVENT_ROOT] = "root",
		[EVENT_TRACEPOINT] = "tracepoint",
	};

	if (event->kind == EVENT_SWITCH && event->goes_on)
		return "on_stack";
	if (event->kind != EVENT_LOST || event->cause < EVENT_LOST_SLICES)
		return kinds[event->kind];
	return event->cause == EVENT_LOST_UNRECORDED ? "unrecorded" :
	       event->cause == EVENT_LOST_OVERWRITTEN ? "lost_overwritten" : "lost_slices";
}

void export_event_text(struct export *export, const struct event *event, char *text, size_t size)
{
	const char *name = event->kind == EVENT_USER ? user_event_name(export->process, event->user_type) : NULL;

	if (name)
		snprintf(text, size, "%s", name);
	else if (event->kind == EVENT_USER)
		snprintf(text, size, "user event 0x%08" PRIx32, event->user_type);
	else if (event->kind == EVENT_TRACEPOINT)
		snprintf(text, size, "%s", function_name(export->functions, event->function));
	else if (event->kind != EVENT_LOST)
		snprintf(text, size, "return from %s", function_name(export->functions, event->function));
	else if (event->cause == EVENT_LOST_SLICES)
		snprintf(text, size, "%" PRIu64 " slices of events missing", event->count);
	else if (event->cause == EVENT_LOST_OVERWRITTEN)
		snprintf(text, size, "%" PRIu64 " slices of events overwritten", event->count);
	else if (event->cause == EVENT_LOST_UNRECORDED)
		snprintf(text, size, "recording continues");
	else if (event->cause == EVENT_LOST_UNREADABLE)
		snprintf(text, size, "a slice of events cannot be unpacked");
	else
		snprintf(text, size, "%" PRIu64 " events lost", event->count);
}

/* Writes the states before an event. */
static void write_states(struct export *export, struct wait_states *states, uint64_t until_ns,
			 void (*write_state)(struct export *export, const struct wait_state *state))
{
	struct wait_state state;

	while (!output_failed(&export->out) && wait_states_next(states, until_ns, &state))
		write_state(export, &state);
}

int export_events(struct export *export, struct thread_events *events,
		  void (*write)(struct export *export, const struct event *event),
		  void (*write_state)(struct export *export, const struct wait_state *state))
{
	const struct time_range *range = events->range;
	struct call_values *pending = NULL;
	uint64_t place_ns = 0;
	struct wait_states states = { 0 };
	struct event event;
	int more = wait_states_begin(&states, export);

	if (more < 0)
		return more;
	events->reports_values = true;
	while ((more = thread_events_next(events, &event)) > 0) {
		call_values_drop(export->values);
		export->values = NULL;
		if (event.kind == EVENT_VALUES) {
			/* The values belong to the next event. */
			call_values_drop(pending);
			pending = event.values;
			continue;
		}
		export->values = pending;
		pending = NULL;
		if (export->values && event.kind <= EVENT_TAIL_EXIT)
			call_values_set_function(export->values, export->functions, event.function);
		/* An event with a time that the program gave has the place of the event before. */
		if (event.kind != EVENT_USER || !event.own_time)
			place_ns = event.time_ns;
		if (range && place_ns < range->begin_ns)
			continue;
		if (range && place_ns >= range->end_ns)
			break;
		write_states(export, &states, place_ns, write_state);
		write(export, &event);
		if (output_failed(&export->out))
			break;
	}
	if (more >= 0)
		write_states(export, &states, UINT64_MAX, write_state);
	wait_states_end(&states);
	call_values_drop(export->values);
	call_values_drop(pending);
	export->values = NULL;
	return more < 0 ? more : export->out.error;
}
