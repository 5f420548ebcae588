/* SPDX-License-Identifier: MIT */
/* wait_lines.c - writes the times in which a thread had no processor and its system calls as lines of a tree (spoor
 * replay --waits, --syscalls). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "walk/lines/call_lines.h"

void replay_wakers_begin(struct replay *replay)
{
	if (replay->shows_waits && waker_functions_read(&replay->wakers, &replay->choice, replay->least_wait_ns)) {
		message("out of memory for the switches");
		exit(SPOOR_EXIT_BAD_TRACE);
	}
}

void replay_waits_begin(struct replay *replay, struct replay_thread *thread)
{
	const struct process *process = thread->process->process;

	if ((replay->shows_waits && thread_sched_load(&thread->sched, process, thread->slices->thread_id)) ||
	    (replay->shows_calls && thread_calls_load(&thread->calls, process, thread->slices->thread_id))) {
		message("out of memory for the switches");
		exit(SPOOR_EXIT_BAD_TRACE);
	}
}

void replay_waits_end(struct replay_thread *thread)
{
	thread_sched_free(&thread->sched);
	thread_calls_free(&thread->calls);
	thread->next_wait = thread->next_call = 0;
}

static bool has_ended(const struct sched_gap *gap)
{
	return gap->end_ns != UINT64_MAX;
}

/* A thread logs no event in a gap, but the clocks differ by up to a microsecond. */
static uint64_t middle(const struct sched_gap *gap)
{
	return has_ended(gap) ? gap->begin_ns + (gap->end_ns - gap->begin_ns) / 2 : UINT64_MAX;
}

static void write_wait(struct replay *replay, const struct replay_thread *thread, const struct sched_gap *gap)
{
	char duration[OUTPUT_DURATION_MAX + 1], reason[SCHED_WAIT_TEXT_MAX], *at;
	bool is_known = thread_sched_wait_text(&thread->sched, gap, true, reason);
	const char *function = waker_functions_find(&replay->wakers, gap);
	const struct time_range *range = replay->walk->range;

	/* The first gap of a thread has no begin: the thread may not have existed. */
	if (!thread->depth || !gap->begin_ns || !replay_shows(replay, thread) ||
	    gap->end_ns - gap->begin_ns < replay->least_wait_ns ||
	    (range && (gap->begin_ns < range->begin_ns || gap->begin_ns >= range->end_ns)))
		return;
	if (replay->pending)
		replay_pending(replay);
	at = replay_line_within(replay, thread, has_ended(gap) ? gap->end_ns : gap->begin_ns, 100 + sizeof(reason) + (function ? strlen(function) : 0));
	at = replay_note_begin(&replay->lines, at);
	if (has_ended(gap)) {
		*output_duration_at(duration, gap->end_ns - gap->begin_ns) = '\0';
		at = replay_put_string(at, gap->is_preempted ? "# preempted for " : "# waited ");
		at = replay_put_string(at, duration + strspn(duration, " "));
	} else {
		at = replay_put_string(at, gap->is_preempted ? "# did not run again" : "# still waiting when the trace ends");
	}
	if (is_known) {
		at = replay_put_string(at, has_ended(gap) ? " in " : ", in ");
		at = replay_put_string(at, reason);
	}
	if (has_ended(gap) && gap->waker)
		at += sprintf(at, ", woken by thread %" PRIu32, gap->waker);
	if (has_ended(gap) && function) {
		at = replay_put_string(at, " in ");
		at = replay_put_string(at, function);
	}
	replay_line_end(&replay->lines, replay_note_end(&replay->lines, at));
}

void replay_waits(struct replay *replay, uint64_t time_ns)
{
	struct replay_thread *thread = replay->thread;
	uint64_t next_ns = UINT64_MAX;

	if (!thread)
		return;
	for (;;) {
		bool has_wait = thread->next_wait < thread->sched.gap_count, has_call = thread->next_call < thread->calls.count;
		const struct sched_gap *gap = has_wait ? &thread->sched.gaps[thread->next_wait] : NULL;
		const struct thread_call *call = has_call ? &thread->calls.list[thread->next_call] : NULL;
		uint64_t wait_ns = gap ? middle(gap) : UINT64_MAX, call_ns = call ? thread_call_place(call) : UINT64_MAX;

		next_ns = wait_ns < call_ns ? wait_ns : call_ns;
		if ((!gap && !call) || next_ns > time_ns)
			break;
		if (call && (!gap || call_ns < wait_ns)) {
			replay_call(replay, thread, call);
			thread->next_call++;
		} else {
			write_wait(replay, thread, gap);
			thread->next_wait++;
		}
	}
	if (next_ns < replay->trigger_ns)
		replay->trigger_ns = next_ns;
}
