/* SPDX-License-Identifier: MIT */
/*
 * perfetto.c - writes the events of Perfetto's format as protobuf packets. perfetto_tracks.c writes the
 * packets of their tracks.
 *
 * The packets are encoded by hand, at about 10 ns a packet and 13 bytes an event. A thread writes names
 * and places in the source once, and times are differences. Each thread is a separate packet sequence,
 * so threads need not be merged. Field numbers are those of Perfetto's trace_packet.proto;
 * tests/golden/perfetto.proto lists the ones in use.
 *
 * Events do not set the flag for "needs the state of this sequence". The flag takes two bytes of each
 * event, and serves readers that may have missed the state; here the state is in the same file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/perfetto_packet.h"
#include "reader/symbols/functions.h"
#include "reader/types/shown_values.h"

#define PACKET_MAX 64		/* bytes of an event's packet */
#define PACKET_TAG 0x0a		/* Trace.packet */

enum track_event_type { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };

/* The note of a function is its number in the thread's sequence, from 1, and this flag if its source is known. */
#define HAS_PLACE (1u << 31)

/* Sets a bit of @bitmap, which grows. Returns whether the bit was set before. */
static bool set_bit(uint8_t **bitmap, size_t *bytes, uint32_t number)
{
	if (number / 8 >= *bytes) {
		size_t more = 2 * (size_t)(number / 8) + 64;
		uint8_t *larger = realloc(*bitmap, more);

		if (!larger)
			return false;	/* the caller writes the name again: larger, but correct */
		memset(larger + *bytes, 0, more - *bytes);
		*bitmap = larger;
		*bytes = more;
	}
	if ((*bitmap)[number / 8] >> number % 8 & 1)
		return true;
	(*bitmap)[number / 8] |= (uint8_t)(1 << number % 8);
	return false;
}

/* Returns the number of a function's library, from 1. */
static uint32_t library_iid(const struct export *export, uint32_t function)
{
	const struct symbol_file *symbols = export->functions->list[function].symbols;

	return symbols ? symbols->number + 2 : 1;
}

/* Begins a packet with data to which the next event refers. */
static uint8_t *begin_interned(struct export *export, uint8_t *packet, uint8_t **interned)
{
	uint8_t *at = put_number(packet, 10, export->thread_count);

	at = put_number(at, 13, NEEDS_STATE);
	*interned = begin_message(at, 12);		/* interned_data */
	return *interned;
}

static void write_place(struct export *export, uint32_t iid, const struct symbol_place *place)
{
	uint8_t *packet = begin_packet(export), *interned, *at, *entry;

	at = begin_interned(export, packet, &interned);
	entry = begin_message(at, 4);			/* source_locations */
	at = put_number(entry, 1, iid);
	at = put_string(at, 2, place->path);
	at = put_number(at, 4, place->line);
	end_packet(export, packet, end_message(interned, end_message(entry, at)));
}

/* Writes a function's name, and its place in the source or else its library. Returns its note. */
static uint32_t write_function(struct export *export, uint32_t function)
{
	uint32_t library = library_iid(export, function), iid = ++export->functions_written;
	uint8_t *packet = begin_packet(export), *interned, *entry, *at;
	struct symbol_place place = function_place(export->functions, function);
	bool has_place = place.path;

	at = begin_interned(export, packet, &interned);
	if (!has_place && !set_bit(&export->libraries_written, &export->libraries_bytes, library)) {
		entry = begin_message(at, 1);		/* event_categories */
		at = put_number(entry, 1, library);
		at = end_message(entry, put_string(at, 2, function_library(export->functions, function)));
	}
	entry = begin_message(at, 2);			/* event_names */
	at = put_number(entry, 1, iid);
	at = end_message(entry, put_string(at, 2, function_name(export->functions, function)));
	end_packet(export, packet, end_message(interned, at));
	if (has_place)
		write_place(export, iid, &place);
	free(place.path);
	return has_place ? iid | HAS_PLACE : iid;
}

/* Writes a function and stores its note. Returns the note, or 0 without memory. */
static uint32_t note_function(struct export *export, uint32_t function)
{
	uint32_t *note = export_note(export, function);

	return note ? *note = write_function(export, function) : 0;
}

/* Advances the thread's time to @time_ns. Returns the nanoseconds since its last event. */
static inline uint64_t advance(struct export *export, uint64_t time_ns)
{
	uint64_t since_ns = time_ns > export->last_ns ? time_ns - export->last_ns : 0;

	export->last_ns += since_ns;
	return since_ns;
}

/* Writes the fields of all events. Each length is below 128 and takes one byte. Returns the track event's body. */
static inline uint8_t *begin_event(uint8_t *at, uint64_t since_ns, uint32_t thread, enum track_event_type type)
{
	*at++ = PACKET_TAG;
	at++;
	*at++ = 8 << 3;					/* timestamp */
	at = put_varint(at, since_ns);
	*at++ = 10 << 3;				/* trusted_packet_sequence_id */
	at = put_varint(at, thread);
	*at++ = 11 << 3 | 2;				/* track_event */
	at++;
	*at++ = 9 << 3;					/* type */
	*at++ = (uint8_t)type;
	return at;
}

/* @event: the value that begin_event returned */
static inline void end_event(struct output *out, uint8_t *begin, uint8_t *event, uint8_t *at)
{
	event[-3] = (uint8_t)(at - event + 2);
	begin[1] = (uint8_t)(at - begin - 2);
	out->used += (size_t)(at - begin);
}

/* The begin or the end of a call. Functions that have one are inlined, so that it stays in registers. */
#define INLINE static inline __attribute__((always_inline))
struct call_event {
	uint64_t since_ns;
	uint32_t thread;
	uint32_t library;	/* used if the note has no place; 0: the call ends */
	uint32_t note;		/* of the function */
};

INLINE uint8_t *put_function(uint8_t *at, uint32_t note, uint32_t library)
{
	*at++ = 10 << 3;				/* name_iid */
	at = put_varint(at, note & ~HAS_PLACE);
	if (note & HAS_PLACE) {
		*at++ = (uint8_t)(34 << 3 | 0x80);	/* source_location_iid */
		*at++ = 34 << 3 >> 7;
		return put_varint(at, note & ~HAS_PLACE);
	}
	*at++ = 3 << 3;					/* category_iids */
	return put_varint(at, library);
}

INLINE void write_call_event(const struct call_event *call, struct output *out)
{
	uint8_t *begin = (uint8_t *)output_room(out, PACKET_MAX);
	uint8_t *event = begin_event(begin, call->since_ns, call->thread, call->library ? SLICE_BEGIN : SLICE_END);

	end_event(out, begin, event, call->library ? put_function(event, call->note, call->library) : event);
}

static void write_call_events(const void *context, const void *items, size_t count, struct output *out)
{
	(void)context;
	for (const struct call_event *call = items, *end = call + count; call < end; call++)
		write_call_event(call, out);
}

INLINE void add_call_event(struct export *export, const struct call_event *call)
{
	if (formatting_is_on(&export->formatting))
		*(struct call_event *)formatting_item(&export->formatting, &export->out) = *call;
	else
		write_call_event(call, &export->out);
}

/* The most bytes of a packet with values: below 2^14, for its length. */
#define VALUES_PACKET_MAX 12000u
#define VALUE_MAX 1000u

/* Writes a debug annotation for each value, as text; leaves out the last ones if the packet would be too large. */
static uint8_t *put_values(uint8_t *at, const uint8_t *end, const struct call_values *values)
{
	struct shown_values shown;
	struct shown_value value;

	shown_values_begin(&shown, values);
	while (end - at > (ptrdiff_t)(2 * VALUE_MAX) && shown_values_next(&shown, &value)) {
		uint8_t *annotation = begin_message(at, 4);
		value.text[VALUE_MAX] = '\0';
		at = put_string(put_string(annotation, 6, value.text), 10, value.name);
		at = end_message(annotation, at);
	}
	return at;
}

/* Writes the begin or the end of a call that has values. */
static void write_captured(struct export *export, const struct call_event *call, const struct call_values *values)
{
	uint8_t *begin, *packet, *event, *at;

	/* Events that wait for formatting come first. */
	formatting_finish(&export->formatting);
	begin = (uint8_t *)output_room(&export->out, VALUES_PACKET_MAX + 256);
	packet = begin_message(begin, 1);
	at = put_number(put_number(packet, 8, call->since_ns), 10, call->thread);
	event = begin_message(at, 11);
	at = put_number(event, 9, call->library ? SLICE_BEGIN : SLICE_END);
	if (call->library)
		at = put_function(at, call->note, call->library);
	at = put_values(at, begin + VALUES_PACKET_MAX, values);
	end_message(event, at);
	export->out.used = (size_t)((char *)end_message(packet, at) - export->out.buffer);
}

static void perfetto_enter(void *context, const struct call *call, size_t depth)
{
	struct export *export = context;
	uint32_t note = call->function < export->note_count ? export->notes[call->function] : 0;

	struct call_event event;

	(void)depth;
	if (__builtin_expect(!note, 0))
		note = note_function(export, call->function);
	event = (struct call_event){
		.since_ns = advance(export, call->begin_ns),
		.thread = export->thread_count,
		.library = note & HAS_PLACE ? 1 : library_iid(export, call->function),
		.note = note,
	};

	if (call->arguments)
		write_captured(export, &event, call->arguments);
	else
		add_call_event(export, &event);
}

static void perfetto_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	struct export *export = context;

	struct call_event event = { .since_ns = advance(export, end_ns), .thread = export->thread_count };

	(void)depth, (void)how;
	if (call->result)
		write_captured(export, &event, call->result);
	else
		add_call_event(export, &event);
}

static void write_value(struct export *export, uint64_t time_ns, uint64_t track, uint64_t value)
{
	uint8_t *begin = (uint8_t *)output_room(&export->out, PACKET_MAX);
	uint8_t *event = begin_event(begin, advance(export, time_ns), export->thread_count, COUNTER);

	end_event(&export->out, begin, event, put_number(put_number(event, 11, track), 30, value));
}

/* Writes the number of events that the thread has lost so far. */
static void write_losses(struct export *export, const struct event *event)
{
	if (event->cause >= EVENT_LOST_SLICES)		/* the number of events is unknown */
		return;
	if (!export->lost)
		perfetto_counter_track(export, losses_uuid(export), thread_uuid(export), "events lost");
	export->lost += event->count;
	write_value(export, event->time_ns, losses_uuid(export), export->lost);
}

/* Writes debug annotations, which the viewer shows for the chosen event. */
static uint8_t *put_payloads(struct export *export, uint8_t *at, const struct event *event)
{
	const char *string = user_event_string(export->process, event);
	uint8_t *annotation = begin_message(at, 4);

	at = put_string(put_number(annotation, 3, event->user_type), 10, "type");
	annotation = begin_message(end_message(annotation, at), 4);
	at = string ? put_string(annotation, 6, string) : put_number(annotation, 3, event->user_payload_1);
	at = put_string(at, 10, "payload_1");
	annotation = begin_message(end_message(annotation, at), 4);
	at = put_string(put_number(annotation, 3, event->user_payload_2), 10, "payload_2");
	return end_message(annotation, at);
}

static uint8_t *put_arguments(uint8_t *at, const struct spoor_tracepoint_event *tracepoint)
{
	for (uint32_t i = 0; i < tracepoint->count; i++) {
		struct tracepoint_argument argument = tracepoint_argument(tracepoint, i);
		uint8_t *annotation = begin_message(at, 4);
		char name[16];

		/* double_value, or uint_value, int_value, pointer_value */
		if (argument.kind == TRACEPOINT_REAL)
			at = put_fixed64(annotation, 5, argument.value);
		else
			at = put_number(annotation, argument.kind == TRACEPOINT_SIGNED ? 4 :
						    argument.kind == TRACEPOINT_POINTER ? 7 : 3, argument.value);
		snprintf(name, sizeof(name), "arg%u", i + 1);
		at = end_message(annotation, put_string(at, 10, name));
	}
	return at;
}

static void perfetto_other(void *context, const struct event *event, size_t depth)
{
	struct export *export = context;
	uint8_t *packet, *inner, *at;
	char text[EXPORT_TEXT_MAX];
	size_t type;

	(void)depth;
	if (event->kind == EVENT_USER && user_event_is_counter(export->process, event, &type)) {
		write_value(export, event->time_ns, counter_uuid(export, type), event->user_payload_1);
		return;
	}
	if (event->kind == EVENT_LOST)
		write_losses(export, event);
	packet = begin_packet(export);
	export_event_text(export, event, text, sizeof(text));
	if (event->kind == EVENT_USER && event->own_time) {
		/* The time may be out of order, so it is not a difference. */
		at = put_number(packet, 8, event->time_ns);
		at = put_number(at, 58, CLOCK_MONOTONIC_ID);	/* timestamp_clock_id */
	} else {
		at = put_number(packet, 8, advance(export, event->time_ns));
	}
	at = put_number(at, 10, export->thread_count);
	at = put_number(at, 13, NEEDS_STATE);
	inner = begin_message(at, 11);			/* track_event */
	at = put_number(inner, 9, INSTANT);
	if (event->kind == EVENT_USER)
		at = put_payloads(export, at, event);
	else if (event->kind == EVENT_TRACEPOINT)
		at = put_arguments(at, event->tracepoint);
	at = end_message(inner, put_string(at, 23, text));
	end_packet(export, packet, at);
}

static int process_begin(void *context, struct process *process, struct functions *functions)
{
	struct export *export = context;

	if (!export->process_count)
		formatting_begin(&export->formatting, &export->out, sizeof(struct call_event), write_call_events, NULL);
	return perfetto_process_begin(context, process, functions);
}

void export_perfetto(struct walk_sink *sink)
{
	sink->process_begin = process_begin;
	sink->process_end = perfetto_process_end;
	sink->thread_begin = perfetto_thread_begin;
	sink->calls.enter = perfetto_enter;
	sink->calls.leave = perfetto_leave;
	sink->calls.other = perfetto_other;
}
