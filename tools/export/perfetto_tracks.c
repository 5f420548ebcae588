/* SPDX-License-Identifier: MIT */
/* perfetto_tracks.c - writes the packets before Perfetto's events: clocks, processes, threads, counters. */
#include <inttypes.h>
#include <stdio.h>

#include "export/perfetto_packet.h"
#include "export/wait_states.h"

enum { UNIT_COUNT = 2 };

#define NO_SEQUENCE (UINT32_MAX >> 1)	/* of packets that belong to no thread */

static uint8_t *put_clock(uint8_t *at, uint32_t id, uint64_t ns, bool incremental)
{
	uint8_t *clock = begin_message(at, 1);

	at = put_number(clock, 1, id);
	at = put_number(at, 2, ns);
	if (incremental)
		at = put_number(at, 3, 1);
	return end_message(clock, at);
}

/* Writes CLOCK_REALTIME at a time of CLOCK_MONOTONIC. Skips pairs that do not increase: readers reject them. */
static void write_clocks(struct export *export, int64_t steady_ns, int64_t system_ns)
{
	uint8_t *packet, *snapshot, *at;

	if (steady_ns < 0 || system_ns < 0 ||
	    (export->clocks_written && (steady_ns <= export->steady_ns || system_ns <= export->system_ns)))
		return;
	export->clocks_written = true;
	export->steady_ns = steady_ns;
	export->system_ns = system_ns;
	packet = begin_packet(export);
	snapshot = begin_message(packet, 6);		/* clock_snapshot */
	at = put_clock(snapshot, CLOCK_MONOTONIC_ID, (uint64_t)steady_ns, false);
	at = put_clock(at, CLOCK_REALTIME_ID, (uint64_t)system_ns, false);
	at = put_number(at, 2, CLOCK_MONOTONIC_ID);	/* primary_trace_clock */
	at = end_message(snapshot, at);
	end_packet(export, packet, put_number(at, 10, NO_SEQUENCE));
}

void perfetto_counter_track(struct export *export, uint64_t uuid, uint64_t parent_uuid, const char *name)
{
	uint8_t *packet = begin_packet(export), *track = begin_message(packet, 60), *counter, *at;

	at = put_number(track, 1, uuid);
	at = put_string(at, 2, name);
	at = put_number(at, 5, parent_uuid);
	counter = begin_message(at, 8);
	at = end_message(track, end_message(counter, put_number(counter, 3, UNIT_COUNT)));
	end_packet(export, packet, put_number(at, 10, NO_SEQUENCE));
}

/* Writes labels, which the viewer shows beside the name of a process. */
static uint8_t *put_labels(const struct export *export, uint8_t *at)
{
	const struct process *process = export->process;
	const char *host = process_fact(process, "host");
	char text[80];

	snprintf(text, sizeof(text), "session %016" PRIx64, process->session_id);
	at = put_string(at, 8, text);
	if (host) {
		snprintf(text, sizeof(text), "host %.64s", host);
		at = put_string(at, 8, text);
	}
	if (process->id_offset) {
		snprintf(text, sizeof(text), "process %" PRId64 " there", process->process_id - process->id_offset);
		at = put_string(at, 8, text);
	}
	return at;
}

int perfetto_process_begin(void *context, struct process *process, struct functions *functions)
{
	struct export *export = context;
	uint8_t *packet, *track, *at, *inner;

	export_process_begin(export, process, functions);
	/* Processes of other machines have other clocks. */
	if (!process->shift_ns || export->process_count == 1)
		write_clocks(export, process->begin_steady_ns, process->begin_system_ns);
	packet = begin_packet(export);
	track = begin_message(packet, 60);		/* track_descriptor */
	at = put_number(track, 1, process_uuid(export));
	inner = begin_message(at, 3);			/* process */
	at = put_number(inner, 1, (uint64_t)process->process_id);
	at = put_labels(export, put_string(at, 6, process_title(process)));
	at = end_message(track, end_message(inner, at));
	end_packet(export, packet, put_number(at, 10, NO_SEQUENCE));
	for (size_t i = 0; i < process->event_type_count; i++)
		if (event_type_is_counter(process, i))
			perfetto_counter_track(export, counter_uuid(export, i), process_uuid(export),
					       process->event_types[i].name);
	return export->out.error;
}

int perfetto_process_end(void *context)
{
	struct export *export = context;
	const struct clock *clock = &export->process->clock;

	if (!export->process->shift_ns && !export->process->version0 && clock->pair_count)
		write_clocks(export, clock->pairs[clock->pair_count - 1].steady_ns, clock->pairs[clock->pair_count - 1].system_ns);
	return export->out.error;
}

int perfetto_thread_begin(void *context, const struct thread_slices *thread)
{
	struct export *export = context;
	uint8_t *packet, *at, *inner, *innermost;

	export_thread_begin(export, thread);
	export->last_ns = clock_ns(&export->process->clock, thread->first_counter);
	export->lost = 0;
	export->functions_written = 0;
	export_clear_notes(export);
	if (export->libraries_bytes)
		memset(export->libraries_written, 0, export->libraries_bytes);

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
	return export_perfetto_states(export);
}
