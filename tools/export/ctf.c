/* SPDX-License-Identifier: MIT */
/*
 * ctf.c - writes all events as recorded in the Common Trace Format 1.8, for babeltrace2 and Trace
 * Compass. An entry or exit takes 9 bytes.
 *
 * The output is a directory. `metadata` describes the other files in TSDL. Each thread has a stream of
 * packets. Captured arguments and results are text. One more stream has the ID, library and place in the source of each function. Names are
 * labels of an enumeration, so an event has only a number.
 *
 * Invariants
 *   I1  The time of an event is the low half of a 64-bit counter, and each packet begins with the whole
 *       counter. Two successive events whose distance exceeds 32 bits are in different packets.
 *   I2  A packet ends where events are missing. The next packet counts them as discarded events. Slices
 *       with an unknown number of events are counted as missing packets.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "export/ctf.h"
#include "export/wait_states.h"
#include "reader/types/shown_values.h"

#define PACKET_BYTES (1u << 18)
#define TEXT_MAX 4096u			/* bytes of a string in a packet, with its terminator */
#define EVENT_BYTES_MAX (4 * TEXT_MAX)
#define MAGIC 0xc1fc1fc1u

/* The begin of each packet in any stream. */
struct packet_head {
	uint32_t magic, stream_class;
	uint64_t timestamp_begin, timestamp_end;
	uint64_t content_bits, packet_bits;
	uint64_t sequence, events_discarded;
};

struct export_ctf {
	int directory;
	struct output file;		/* the current stream */
	enum stream_class stream;
	uint8_t *packet;
	size_t used;			/* 0: no packet has begun */
	uint64_t begin_ns, last_ns;	/* first and last event of the packet */
	uint64_t sequence, discarded;
	int64_t offset_ns;		/* from CLOCK_MONOTONIC to CLOCK_REALTIME */
	uint64_t first_ns;		/* begin of the first process */
};

static uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t count)
{
	memcpy(at, bytes, count);
	return at + count;
}

static uint8_t *put_32(uint8_t *at, uint32_t number)
{
	return put_bytes(at, &number, sizeof(number));
}

static uint8_t *put_64(uint8_t *at, uint64_t number)
{
	return put_bytes(at, &number, sizeof(number));
}

/* Writes a string. A longer one than TEXT_MAX is cut between two UTF-8 characters. */
static uint8_t *put_string(uint8_t *at, const char *string)
{
	size_t length = strlen(string);

	if (length >= TEXT_MAX)
		for (length = TEXT_MAX - 1; length && ((uint8_t)string[length] & 0xc0) == 0x80; length--)
			;
	at = put_bytes(at, string, length);
	*at++ = 0;
	return at;
}

/* Begins a packet. end_packet fills in the head. */
static void begin_packet(struct export *export, uint64_t time_ns)
{
	struct export_ctf *ctf = export->ctf;
	uint8_t *at = ctf->packet + sizeof(struct packet_head);

	if (ctf->stream == STREAM_THREAD) {
		at = put_64(at, (uint64_t)export->process->process_id);
		at = put_32(at, export->thread->thread_id);
		at = put_string(at, process_title(export->process));
		at = put_string(at, export_thread_name(export));
	}
	ctf->used = (size_t)(at - ctf->packet);
	ctf->begin_ns = ctf->last_ns = time_ns;
}

static void end_packet(struct export *export)
{
	struct export_ctf *ctf = export->ctf;
	const struct packet_head head = {
		.magic = MAGIC,
		.stream_class = ctf->stream,
		.timestamp_begin = ctf->begin_ns,
		.timestamp_end = ctf->last_ns,
		.content_bits = 8 * ctf->used,
		.packet_bits = 8 * ctf->used,
		.sequence = ctf->sequence,
		.events_discarded = ctf->discarded,
	};

	if (!ctf->used)
		return;
	memcpy(ctf->packet, &head, sizeof(head));
	output_put_large(&ctf->file, ctf->packet, ctf->used);
	ctf->sequence++;
	ctf->used = 0;
	if (!export->out.error)
		export->out.error = ctf->file.error;
}

/* Begins an event and returns the place of its fields, with room for an event of any class. */
static uint8_t *begin_event(struct export *export, uint64_t time_ns, uint8_t class)
{
	struct export_ctf *ctf = export->ctf;
	uint8_t *at;

	if (time_ns < ctf->last_ns)
		time_ns = ctf->last_ns;
	if (ctf->used + EVENT_BYTES_MAX > PACKET_BYTES || time_ns - ctf->last_ns >= UINT32_MAX)
		end_packet(export);
	if (!ctf->used)
		begin_packet(export, time_ns);
	ctf->last_ns = time_ns;
	at = ctf->packet + ctf->used;
	*at++ = class;
	return put_32(at, (uint32_t)time_ns);
}

static void end_event(struct export *export, uint8_t *at)
{
	export->ctf->used = (size_t)(at - export->ctf->packet);
}

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void write_lost(struct export *export, const struct event *event)
{
	struct export_ctf *ctf = export->ctf;
	uint8_t class = event->cause < EVENT_LOST_SLICES ? CLASS_LOST :
			event->cause == EVENT_LOST_UNRECORDED ? CLASS_UNRECORDED :
			event->cause == EVENT_LOST_OVERWRITTEN ? CLASS_LOST_OVERWRITTEN : CLASS_LOST_SLICES;
	uint8_t *at;

	if (class != CLASS_UNRECORDED) {
		/* Readers see losses between two packets, so there must be a packet before them. */
		if (!ctf->used)
			begin_packet(export, event->time_ns);
		end_packet(export);
		if (class == CLASS_LOST)
			ctf->discarded = add_saturating(ctf->discarded, event->count);
		else
			ctf->sequence = add_saturating(ctf->sequence, event->count);
	}
	at = begin_event(export, event->time_ns, class);
	end_event(export, put_32(put_64(at, event->count), event->cause));
}

static void write_user_event(struct export *export, const struct event *event)
{
	const char *name = user_event_name(export->process, event->user_type);
	const char *string = user_event_string(export->process, event);
	/* A time that the program gave may be out of order in the stream. */
	uint64_t time_ns = event->own_time ? export->ctf->last_ns : event->time_ns;
	uint8_t class = !name || !*name ? CLASS_USER :
			!string ? CLASS_USER_NAMED :
			*string ? CLASS_USER_STRING : CLASS_USER_EMPTY;
	uint8_t *at = put_64(put_32(begin_event(export, time_ns, class), event->user_type), event->user_payload_1);

	at = put_64(put_32(at, event->user_payload_2), event->time_ns);
	if (class != CLASS_USER)
		at = put_string(at, name);
	if (class == CLASS_USER_STRING)
		at = put_string(at, string);
	end_event(export, at);
}

/* Writes a hit with its arguments and their types: "i32 -5, ptr 0x7ffd0010". */
static void write_tracepoint(struct export *export, const struct event *event)
{
	uint32_t number = trace_functions_number(&export->table, export->functions, event->function);
	bool has_arguments = event->tracepoint->count;
	uint8_t *at = begin_event(export, event->time_ns, has_arguments ? CLASS_TRACEPOINT_ARGUMENTS : CLASS_TRACEPOINT);
	char text[TRACEPOINT_TEXT_MAX];

	if (!number)
		export->out.error = -ENOMEM;
	at = put_32(at, number);
	if (has_arguments) {
		tracepoint_text(event->tracepoint, true, text);
		at = put_string(at, text);
	}
	end_event(export, at);
}

/* Returns the values of an entry or exit as text that the caller frees, or null. */
static char *values_text(struct export *export, const struct event *event)
{
	char *text;

	if (!export->values || (event->kind != EVENT_ENTRY && event->kind != EVENT_EXIT))
		return NULL;
	text = shown_values_text(export->values, true);
	if (!text)
		export->out.error = -ENOMEM;
	else if (*text)
		return text;
	free(text);
	return NULL;
}

static void write_call(struct export *export, const struct event *event)
{
	static const uint8_t classes[] = {
		[EVENT_ENTRY] = CLASS_ENTRY, [EVENT_EXIT] = CLASS_EXIT, [EVENT_TAIL_EXIT] = CLASS_TAIL_EXIT,
		[EVENT_ROOT] = CLASS_ROOT,
	};
	uint32_t number = trace_functions_number(&export->table, export->functions, event->function);
	char *text = values_text(export, event);
	uint8_t class = !text ? classes[event->kind] : event->kind == EVENT_ENTRY ? CLASS_ENTRY_ARGUMENTS : CLASS_EXIT_RESULT;
	uint8_t *at = put_32(begin_event(export, event->time_ns, class), number);

	if (!number)
		export->out.error = -ENOMEM;
	if (text)
		at = put_string(at, text);
	free(text);
	if (event->kind == EVENT_ROOT)
		at = put_32(put_32(at, (uint32_t)event->count), event->frame);
	end_event(export, at);
}

static void write_event(struct export *export, const struct event *event)
{
	uint8_t class;

	if (event->kind <= EVENT_TAIL_EXIT || event->kind == EVENT_ROOT) {
		write_call(export, event);
	} else if (event->kind == EVENT_LOST) {
		write_lost(export, event);
	} else if (event->kind == EVENT_USER) {
		write_user_event(export, event);
	} else if (event->kind == EVENT_TRACEPOINT) {
		write_tracepoint(export, event);
	} else {
		class = event->kind == EVENT_FRAME ? CLASS_FRAME : event->kind == EVENT_UNWIND ? CLASS_UNWIND :
			event->goes_on ? CLASS_ON_STACK : CLASS_LEAVES_STACK;
		end_event(export, put_32(begin_event(export, event->time_ns, class), event->frame));
	}
}

static int begin_stream(struct export *export, enum stream_class stream, const char *name)
{
	struct export_ctf *ctf = export->ctf;

	ctf->stream = stream;
	ctf->used = 0;
	ctf->sequence = ctf->discarded = 0;
	export->out.error = output_begin_in(&ctf->file, ctf->directory, name);
	return export->out.error ? -EPIPE : 0;	/* -EPIPE ends the walk; write_all reports out.error */
}

static int end_stream(struct export *export)
{
	int error;

	end_packet(export);
	error = output_end(&export->ctf->file);
	if (!export->out.error)
		export->out.error = error;
	return export->out.error ? -EPIPE : 0;
}

static int ctf_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct export *export = context;

	export_process_begin(export, process, functions);
	if (export->process_count == 1) {
		export->ctf->offset_ns = process->begin_system_ns - process->begin_steady_ns;
		export->ctf->first_ns = (uint64_t)process->begin_steady_ns;
	}
	return 0;
}

static int ctf_thread_begin(void *context, const struct thread_slices *thread)
{
	struct export *export = context;
	char name[32];
	int error;

	export_thread_begin(export, thread);
	snprintf(name, sizeof(name), "thread_%" PRIu32, export->thread_count);
	error = begin_stream(export, STREAM_THREAD, name);
	/* A thread without events gets a packet too, because the packet has the thread's name. */
	if (!error)
		begin_packet(export, clock_ns(&export->process->clock, thread->first_counter));
	return error;
}

static void write_state(struct export *export, const struct wait_state *state)
{
	uint8_t class = state->is_call ? CLASS_SYSCALL : state->is_preempted ? CLASS_PREEMPTED : *state->reason ? CLASS_WAIT_IN :
			CLASS_WAIT;
	uint64_t duration_ns = state->end_ns == UINT64_MAX ? UINT64_MAX : state->end_ns - state->begin_ns;
	uint8_t *at = put_64(begin_event(export, state->begin_ns, class), duration_ns);

	end_event(export, class == CLASS_WAIT_IN || class == CLASS_SYSCALL ? put_string(at, state->reason) : at);
}

static int ctf_thread_events(void *context, struct thread_events *events)
{
	struct export *export = context;
	int error = export_events(export, events, write_event, write_state);

	return export->out.error ? -EPIPE : error;
}

static int ctf_thread_end(void *context, const struct call_tree *tree)
{
	(void)tree;
	return end_stream(context);
}

/* Writes one event for each function. */
static int write_functions(struct export *export)
{
	int error = begin_stream(export, STREAM_FUNCTIONS, "functions");

	if (error)
		return error;
	begin_packet(export, export->ctf->first_ns);
	for (uint32_t i = 1; i <= export->table.count && !export->out.error; i++) {
		const struct trace_function *function = &export->table.list[i];
		uint8_t *at = begin_event(export, export->ctf->first_ns,
					  function->file ? CLASS_FUNCTION_IN_FILE : CLASS_FUNCTION);

		at = put_64(put_32(at, i), function->id);
		at = put_string(put_string(at, function->name), function->library);
		if (function->file)
			at = put_32(put_string(at, function->file), function->line);
		end_event(export, at);
	}
	return end_stream(export);
}

static int ctf_trace_end(void *context)
{
	struct export *export = context;
	struct export_ctf *ctf = export->ctf;
	struct output *out = &ctf->file;
	int error = write_functions(export);

	if (!error)
		export->out.error = output_begin_in(out, ctf->directory, "metadata");
	if (export->out.error)
		return -EPIPE;
	export_ctf_metadata(out, &export->table, ctf->offset_ns);
	export->out.error = output_end(out);
	return export->out.error ? -EPIPE : 0;
}

void export_ctf(struct walk_sink *sink)
{
	sink->process_begin = ctf_process_begin;
	sink->thread_begin = ctf_thread_begin;
	sink->thread_events = ctf_thread_events;
	sink->thread_end = ctf_thread_end;
	sink->trace_end = ctf_trace_end;
}

int export_ctf_begin(struct export *export, const char *path)
{
	struct export_ctf *ctf = export->ctf = calloc(1, sizeof(*export->ctf));

	if (!ctf)
		return -ENOMEM;
	ctf->directory = export_directory(export, path);
	if (ctf->directory < 0)
		return ctf->directory;
	/* A reader would take the old streams for a part of this trace. */
	if (!faccessat(ctf->directory, "metadata", F_OK, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	ctf->packet = malloc(PACKET_BYTES);
	return ctf->packet ? 0 : -ENOMEM;
}

int export_ctf_end(struct export *export)
{
	struct export_ctf *ctf = export->ctf;

	if (!ctf)
		return 0;
	output_end(&ctf->file);
	if (ctf->directory >= 0)
		close(ctf->directory);
	free(ctf->packet);
	free(ctf);
	export->ctf = NULL;
	return export->out.error;
}
