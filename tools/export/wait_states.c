/* SPDX-License-Identifier: MIT */
/*
 * wait_states.c - writes the times in which a thread had no processor, in the formats of Chrome and
 * Perfetto.
 *
 * In Chrome's format a wait is a slice within its call. Perfetto has a track of states for each thread.
 */
#include "export/wait_states.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "export/perfetto_packet.h"

int wait_states_begin(struct wait_states *states, const struct export *export)
{
	states->next = 0;
	states->wakers = &export->wakers;
	states->range = export->walk ? export->walk->range : NULL;
	return thread_sched_load(&states->sched, export->process, export->thread->thread_id);
}

void wait_states_end(struct wait_states *states)
{
	thread_sched_free(&states->sched);
}

/* A thread logs no event in a gap, but the clocks differ by up to a microsecond. */
static uint64_t middle_of(const struct sched_gap *gap)
{
	return gap->end_ns == UINT64_MAX ? UINT64_MAX : gap->begin_ns + (gap->end_ns - gap->begin_ns) / 2;
}

/* Before its first gap begins, the thread may not have existed. */
static bool is_shown(const struct wait_states *states, const struct sched_gap *gap)
{
	const struct time_range *range = states->range;

	return gap->begin_ns && !(range && (gap->begin_ns >= range->end_ns || gap->end_ns <= range->begin_ns));
}

static void describe(const struct wait_states *states, const struct sched_gap *gap, struct wait_state *state)
{
	const struct time_range *range = states->range;
	char reason[SCHED_WAIT_TEXT_MAX];

	state->begin_ns = range && gap->begin_ns < range->begin_ns ? range->begin_ns : gap->begin_ns;
	state->end_ns = range && gap->end_ns > range->end_ns ? range->end_ns : gap->end_ns;
	state->is_preempted = gap->is_preempted;
	state->reason = "";
	*state->waker = '\0';
	if (gap->waker) {
		const char *function = waker_functions_find(states->wakers, gap);

		snprintf(state->waker, sizeof(state->waker), "thread %" PRIu32 "%s%s", gap->waker, function ? " in " : "",
			 function ? function : "");
	}
	if (thread_sched_wait_text(&states->sched, gap, true, reason)) {
		snprintf(state->text, sizeof(state->text), "waiting in %s", reason);
		state->reason = state->text + strlen("waiting in ");
	} else {
		strcpy(state->text, gap->is_preempted ? "preempted" : "waiting");
	}
}

bool wait_states_next(struct wait_states *states, uint64_t until_ns, struct wait_state *state)
{
	while (states->next < states->sched.gap_count && middle_of(&states->sched.gaps[states->next]) <= until_ns) {
		const struct sched_gap *gap = &states->sched.gaps[states->next++];

		if (!is_shown(states, gap))
			continue;
		describe(states, gap, state);
		return true;
	}
	return false;
}

int wait_states_for_each(struct export *export, void (*step)(struct export *export, const struct wait_state *state))
{
	struct wait_states states = { 0 };
	struct wait_state state;
	int error = wait_states_begin(&states, export);

	while (!error && wait_states_next(&states, UINT64_MAX, &state))
		step(export, &state);
	wait_states_end(&states);
	return error;
}

static void write_chrome_state(struct export *export, const struct wait_state *state)
{
	struct output *out = &export->out;

	/* A complete event has an end. */
	if (state->end_ns == UINT64_MAX)
		return;
	output_put(out, export->call_head, export->call_head_length);
	output_microseconds(out, state->begin_ns);
	output_string(out, ",\"dur\":");
	output_microseconds(out, state->end_ns - state->begin_ns);
	output_string(out, ",\"name\":\"");
	output_json_string(out, state->text);
	output_string(out, "\",\"cat\":\"state\"");
	if (*state->waker) {
		output_string(out, ",\"args\":{\"woken by\":\"");
		output_json_string(out, state->waker);
		output_string(out, "\"}");
	}
	output_string(out, "}");
}

int export_chrome_states(struct export *export)
{
	int error = wait_states_for_each(export, write_chrome_state);

	return error ? error : export->out.error;
}

/* The track of a thread's states. */
static uint64_t states_uuid(const struct export *export)
{
	return thread_uuid(export) | 1u << 29;
}

static void write_perfetto_event(struct export *export, uint64_t time_ns, uint64_t type, const char *name,
				 const char *waker)
{
	uint8_t *packet = begin_packet(export), *event, *at;

	at = put_number(packet, 8, time_ns);
	at = put_number(at, 58, CLOCK_MONOTONIC_ID);	/* timestamp_clock_id */
	at = put_number(at, 10, export->thread_count);
	event = begin_message(at, 11);			/* track_event */
	at = put_number(event, 9, type);
	at = put_number(at, 11, states_uuid(export));
	if (name)
		at = put_string(at, 23, name);
	if (*waker) {
		uint8_t *annotation = begin_message(at, 4);	/* debug_annotations */

		at = end_message(annotation, put_string(put_string(annotation, 6, waker), 10, "woken by"));
	}
	end_packet(export, packet, end_message(event, at));
}

static void write_perfetto_state(struct export *export, const struct wait_state *state)
{
	write_perfetto_event(export, state->begin_ns, 1, state->text, state->waker);	/* slice begin */
	if (state->end_ns != UINT64_MAX)
		write_perfetto_event(export, state->end_ns, 2, NULL, "");	/* slice end */
}

int export_perfetto_states(struct export *export)
{
	uint8_t *packet, *track, *at;
	int error;

	if (!export->process->sched)
		return export->out.error;
	packet = begin_packet(export);
	track = begin_message(packet, 60);		/* track_descriptor */
	at = put_number(track, 1, states_uuid(export));
	at = put_string(at, 2, "waiting");
	at = end_message(track, put_number(at, 5, thread_uuid(export)));	/* parent_uuid */
	end_packet(export, packet, put_number(at, 10, export->thread_count));
	error = wait_states_for_each(export, write_perfetto_state);
	return error ? error : export->out.error;
}
