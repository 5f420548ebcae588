/* SPDX-License-Identifier: MIT */
/*
 * export_perfetto.c - protobuf packets of Perfetto's track events.
 *
 * Written by hand, about 10 ns a packet and 15 bytes an event: names are told
 * once a thread, times are differences. Each thread is a packet sequence of its
 * own, so the threads need no merging. Field numbers are those of Perfetto's
 * trace_packet.proto; tests/golden/perfetto.proto lists what is used.
 */
#include <errno.h>
#include <stdlib.h>

#include "export.h"

#define PACKET_MAX 64		/* of an event */
#define PACKET_TAG 0x0a		/* Trace.packet */

/* A clock of the thread's sequence alone, whose times are differences. */
#define CLOCK_REALTIME_ID 1
#define CLOCK_MONOTONIC_ID 3
#define CLOCK_OWN_ID 64

enum track_event_type { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3 };
enum sequence_flags { STATE_CLEARED = 1, NEEDS_STATE = 2 };

static uint8_t *put_varint(uint8_t *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t)(value | 0x80);
	*at++ = (uint8_t)value;
	return at;
}

static uint8_t *put_number(uint8_t *at, uint32_t field, uint64_t value)
{
	return put_varint(put_varint(at, field << 3), value);
}

/* Begins a message whose length, below 2^14, is filled in by end_message. */
static uint8_t *begin_message(uint8_t *at, uint32_t field)
{
	return put_varint(at, field << 3 | 2) + 2;
}

/* @body is what begin_message returned. */
static uint8_t *end_message(uint8_t *body, uint8_t *at)
{
	size_t length = (size_t)(at - body);

	body[-2] = (uint8_t)(length | 0x80);
	body[-1] = (uint8_t)(length >> 7);
	return at;
}

/* A string, cut to what a packet takes, at a character's border. */
#define STRING_MAX 7000
static uint8_t *put_string(uint8_t *at, uint32_t field, const char *string)
{
	size_t length = strlen(string);

	if (length > STRING_MAX)
		for (length = STRING_MAX; length && ((uint8_t)string[length] & 0xc0) == 0x80; length--)
			;
	at = put_varint(put_varint(at, field << 3 | 2), length);
	memcpy(at, string, length);
	return at + length;
}

/* Room for a packet of two strings; begins it. Return: its body. */
static uint8_t *begin_packet(struct export *export)
{
	return begin_message((uint8_t *)output_room(&export->out, 2 * STRING_MAX + 256), 1);
}

static void end_packet(struct export *export, uint8_t *body, uint8_t *at)
{
	export->out.used = (size_t)((char *)end_message(body, at) - export->out.buffer);
}

static uint64_t process_uuid(const struct export *export)
{
	return (uint64_t)export->process_count << 32;
}

static uint64_t thread_uuid(const struct export *export)
{
	return process_uuid(export) | export->thread_count;
}

static uint8_t *put_clock(uint8_t *at, uint32_t id, uint64_t ns, bool incremental)
{
	uint8_t *clock = begin_message(at, 1);

	at = put_number(clock, 1, id);
	at = put_number(at, 2, ns);
	if (incremental)
		at = put_number(at, 3, 1);
	return end_message(clock, at);
}

static void write_process(struct export *export)
{
	const struct process *process = export->process;
	uint8_t *packet, *track, *at, *inner;

	if (export->process_count == 1) {
		packet = begin_packet(export);
		inner = begin_message(packet, 6);	/* clock_snapshot */
		at = put_clock(inner, CLOCK_MONOTONIC_ID, (uint64_t)process->begin_steady_ns, false);
		at = put_clock(at, CLOCK_REALTIME_ID, (uint64_t)process->begin_system_ns, false);
		at = put_number(at, 2, CLOCK_MONOTONIC_ID);	/* primary_trace_clock */
		at = end_message(inner, at);
		end_packet(export, packet, put_number(at, 10, UINT32_MAX >> 1));
	}
	packet = begin_packet(export);
	track = begin_message(packet, 60);		/* track_descriptor */
	at = put_number(track, 1, process_uuid(export));
	inner = begin_message(at, 3);			/* process */
	at = put_number(inner, 1, (uint64_t)process->process_id);
	at = put_string(at, 6, process_title(process));
	at = end_message(track, end_message(inner, at));
	end_packet(export, packet, put_number(at, 10, UINT32_MAX >> 1));
}

static int perfetto_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct export *export = context;

	export_process_begin(export, process, functions);
	write_process(export);
	return export->out.error;
}

static int perfetto_thread_begin(void *context, const struct thread_slices *thread)
{
	struct export *export = context;
	uint8_t *packet, *at, *inner, *innermost;

	export_thread_begin(export, thread);
	export->last_ns = clock_ns(&export->process->clock, thread->first_counter);
	if (export->names_bytes)
		memset(export->names_told, 0, export->names_bytes);
	if (export->libraries_bytes)
		memset(export->libraries_told, 0, export->libraries_bytes);

	packet = begin_packet(export);
	inner = begin_message(packet, 60);		/* track_descriptor */
	at = put_number(inner, 1, thread_uuid(export));
	at = put_number(at, 5, process_uuid(export));	/* parent_uuid */
	innermost = begin_message(at, 4);		/* thread */
	at = put_number(innermost, 1, (uint64_t)export->process->process_id);
	at = put_number(at, 2, thread->thread_id);
	at = put_string(at, 5, export_thread_name(export));
	at = end_message(inner, end_message(innermost, at));
	end_packet(export, packet, put_number(at, 10, export->thread_count));

	packet = begin_packet(export);
	inner = begin_message(packet, 6);		/* clock_snapshot */
	at = put_clock(inner, CLOCK_MONOTONIC_ID, export->last_ns, false);
	at = put_clock(at, CLOCK_OWN_ID, export->last_ns, true);
	at = end_message(inner, at);
	at = put_number(at, 10, export->thread_count);
	at = put_number(at, 13, STATE_CLEARED);		/* sequence_flags */
	inner = begin_message(at, 59);			/* trace_packet_defaults */
	at = put_number(inner, 58, CLOCK_OWN_ID);	/* timestamp_clock_id */
	innermost = begin_message(at, 11);		/* track_event_defaults */
	at = end_message(innermost, put_number(innermost, 11, thread_uuid(export)));
	end_packet(export, packet, end_message(inner, at));
	return export->out.error;
}

/* Whether @number was told before; it is from now on. */
static bool told(uint8_t **bitmap, size_t *bytes, uint32_t number)
{
	if (number / 8 >= *bytes) {
		size_t more = 2 * (size_t)(number / 8) + 64;
		uint8_t *larger = realloc(*bitmap, more);

		if (!larger)
			return false;	/* told again: larger, and still right */
		memset(larger + *bytes, 0, more - *bytes);
		*bitmap = larger;
		*bytes = more;
	}
	if ((*bitmap)[number / 8] >> number % 8 & 1)
		return true;
	(*bitmap)[number / 8] |= (uint8_t)(1 << number % 8);
	return false;
}

/* The number under which a function's library is told: from 1. */
static uint32_t library_iid(const struct export *export, uint32_t function)
{
	const struct symbol_file *symbols = export->functions->list[function].symbols;

	return symbols ? symbols->number + 2 : 1;
}

/* A packet with the names that the next event needs. */
static void tell_names(struct export *export, uint32_t function)
{
	uint32_t library = library_iid(export, function);
	uint8_t *packet = begin_packet(export), *interned, *entry, *at;

	at = put_number(packet, 10, export->thread_count);
	at = put_number(at, 13, NEEDS_STATE);
	interned = begin_message(at, 12);		/* interned_data */
	at = interned;
	if (!told(&export->libraries_told, &export->libraries_bytes, library)) {
		entry = begin_message(at, 1);		/* event_categories */
		at = put_number(entry, 1, library);
		at = end_message(entry, put_string(at, 2, function_library(export->functions, function)));
	}
	entry = begin_message(at, 2);			/* event_names */
	at = put_number(entry, 1, function);
	at = end_message(entry, put_string(at, 2, function_name(export->functions, function)));
	end_packet(export, packet, end_message(interned, at));
}

/*
 * One event. Lengths are below 128 bytes, so each takes one byte.
 * @function: 0 for none
 */
static inline void write_event(struct export *export, uint64_t time_ns, enum track_event_type type, uint32_t function)
{
	uint8_t *begin = (uint8_t *)output_room(&export->out, PACKET_MAX), *at = begin, *event;

	*at++ = PACKET_TAG;
	at++;
	*at++ = 8 << 3;					/* timestamp */
	at = put_varint(at, time_ns > export->last_ns ? time_ns - export->last_ns : 0);
	if (time_ns > export->last_ns)
		export->last_ns = time_ns;
	*at++ = 10 << 3;				/* trusted_packet_sequence_id */
	at = put_varint(at, export->thread_count);
	*at++ = 13 << 3;				/* sequence_flags */
	*at++ = NEEDS_STATE;
	*at++ = 11 << 3 | 2;				/* track_event */
	event = ++at;
	*at++ = 9 << 3;					/* type */
	*at++ = (uint8_t)type;
	if (function) {
		*at++ = 10 << 3;			/* name_iid */
		at = put_varint(at, function);
		*at++ = 3 << 3;				/* category_iids */
		at = put_varint(at, library_iid(export, function));
	}
	event[-1] = (uint8_t)(at - event);
	begin[1] = (uint8_t)(at - begin - 2);
	export->out.used += (size_t)(at - begin);
}

static void perfetto_enter(void *context, const struct call *call, size_t depth)
{
	struct export *export = context;

	(void)depth;
	if (!told(&export->names_told, &export->names_bytes, call->function))
		tell_names(export, call->function);
	write_event(export, call->begin_ns, SLICE_BEGIN, call->function);
}

static void perfetto_leave(void *context, const struct call *call, size_t depth, uint64_t end_ns, enum call_end how)
{
	(void)call, (void)depth, (void)how;
	write_event(context, end_ns, SLICE_END, 0);
}

/* Debug annotations: what the viewer shows of an event when it is clicked on. */
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

static void perfetto_other(void *context, const struct event *event, size_t depth)
{
	struct export *export = context;
	uint8_t *packet = begin_packet(export), *inner, *at;
	char text[EXPORT_TEXT_MAX];

	(void)depth;
	export_event_text(export, event, text, sizeof(text));
	if (event->kind == EVENT_USER && event->own_time) {
		/* Before or after its neighbours: no difference to them. */
		at = put_number(packet, 8, event->time_ns);
		at = put_number(at, 58, CLOCK_MONOTONIC_ID);	/* timestamp_clock_id */
	} else {
		at = put_number(packet, 8, event->time_ns > export->last_ns ? event->time_ns - export->last_ns : 0);
		if (event->time_ns > export->last_ns)
			export->last_ns = event->time_ns;
	}
	at = put_number(at, 10, export->thread_count);
	at = put_number(at, 13, NEEDS_STATE);
	inner = begin_message(at, 11);			/* track_event */
	at = put_number(inner, 9, INSTANT);
	if (event->kind == EVENT_USER)
		at = put_payloads(export, at, event);
	at = end_message(inner, put_string(at, 23, text));
	end_packet(export, packet, at);
}

void export_perfetto(struct walk_sink *sink)
{
	sink->process_begin = perfetto_process_begin;
	sink->thread_begin = perfetto_thread_begin;
	sink->calls.enter = perfetto_enter;
	sink->calls.leave = perfetto_leave;
	sink->calls.other = perfetto_other;
}
