/* SPDX-License-Identifier: MIT */
/*
 * wait_states.c - writes the times in which a thread had no processor, and its system calls, in the formats
 * of Chrome and Perfetto.
 *
 * In Chrome's format they are slices within the call of a function. Perfetto has a track of states for each
 * thread, in which waits are within system calls.
 */
#include "export/wait_states.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "export/perfetto_packet.h"

int wait_states_begin(struct wait_states *states, const struct export *export)
{
	int error = thread_calls_load(&states->calls, export->process, export->thread->thread_id);

	states->next = states->next_call = 0;
	states->process = export->process;
	states->wakers = &export->wakers;
	states->range = export->walk ? export->walk->range : NULL;
	return error ? error : thread_sched_load(&states->sched, export->process, export->thread->thread_id);
}

void wait_states_end(struct wait_states *states)
{
	thread_sched_free(&states->sched);
	thread_calls_free(&states->calls);
}

/* A thread logs no event in a gap, but the clocks differ by up to a microsecond. */
static uint64_t middle_of(const struct sched_gap *gap)
{
	return gap->end_ns == UINT64_MAX ? UINT64_MAX : gap->begin_ns + (gap->end_ns - gap->begin_ns) / 2;
}

/* Sets the times, within the range. Returns false if the state is outside. */
static bool set_times(const struct wait_states *states, uint64_t begin_ns, uint64_t end_ns, struct wait_state *state)
{
	const struct time_range *range = states->range;

	*state->waker = '\0';
	state->begin_ns = range && begin_ns < range->begin_ns ? range->begin_ns : begin_ns;
	state->end_ns = range && end_ns > range->end_ns ? range->end_ns : end_ns;
	return !(range && (begin_ns >= range->end_ns || end_ns <= range->begin_ns));
}

static void describe(const struct wait_states *states, const struct sched_gap *gap, struct wait_state *state)
{
	char reason[SCHED_WAIT_TEXT_MAX];

	state->is_call = false;
	state->is_preempted = gap->is_preempted;
	state->reason = "";
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

static void describe_call(struct wait_states *states, const struct thread_call *call, struct wait_state *state)
{
	char buffer[THREAD_CALL_NAME_MAX];

	state->is_call = true;
	state->is_preempted = false;
	thread_call_text(&states->calls, call, states->process, states->call_text);
	state->reason = states->call_text;
	snprintf(state->text, sizeof(state->text), "%s", thread_call_name(states->calls.file, call->number, buffer));
}

bool wait_states_next(struct wait_states *states, uint64_t until_ns, struct wait_state *state)
{
	for (;;) {
		const struct sched_gap *gap = states->next < states->sched.gap_count ? &states->sched.gaps[states->next] : NULL;
		const struct thread_call *call = states->next_call < states->calls.count ?
			&states->calls.list[states->next_call] : NULL;

		/* By their begins, so that a system call comes before its waits. */
		if (call && (!gap || call->begin_ns <= gap->begin_ns)) {
			if (thread_call_place(call) > until_ns)
				return false;
			states->next_call++;
			if (!set_times(states, call->begin_ns, call->end_ns, state))
				continue;
			describe_call(states, call, state);
			return true;
		}
		if (!gap || middle_of(gap) > until_ns)
			return false;
		states->next++;
		/* Before its first gap begins, the thread may not have existed. */
		if (!gap->begin_ns || !set_times(states, gap->begin_ns, gap->end_ns, state))
			continue;
		describe(states, gap, state);
		return true;
	}
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
	output_string(out, state->is_call ? "\",\"cat\":\"syscall\",\"args\":{\"call\":\"" : "\",\"cat\":\"state\"");
	if (state->is_call) {
		output_json_string(out, state->reason);
		output_string(out, "\"}");
	} else if (*state->waker) {
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

/* @key, @value: an annotation; null: none */
static void write_perfetto_event(struct export *export, uint64_t time_ns, uint64_t type, const char *name, const char *key,
				 const char *value)
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
	if (key) {
		uint8_t *annotation = begin_message(at, 4);	/* debug_annotations */

		at = end_message(annotation, put_string(put_string(annotation, 6, value), 10, key));
	}
	end_packet(export, packet, end_message(event, at));
}

static void write_perfetto_state(struct export *export, const struct wait_state *state)
{
	const char *key = state->is_call ? "call" : *state->waker ? "woken by" : NULL;
	bool has_ended = state->end_ns != UINT64_MAX;
	/* 1: the begin of a slice; 3: an instant. After a lost end of a system call, others follow that are not in it. */
	uint64_t type = state->is_call && !has_ended ? 3 : 1;

	write_perfetto_event(export, state->begin_ns, type, state->text, key, state->is_call ? state->reason : state->waker);
	if (has_ended)
		write_perfetto_event(export, state->end_ns, 2, NULL, NULL, NULL);	/* slice end */
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
