/* SPDX-License-Identifier: MIT */
/* system_call_lines.c - writes a system call as a line of a tree (spoor replay --syscalls). */
#include <string.h>

#include "walk/lines/call_lines.h"

void replay_call(struct replay *replay, struct replay_thread *thread, const struct thread_call *call)
{
	char duration[OUTPUT_DURATION_MAX + 1], text[THREAD_CALL_TEXT_MAX], *at;
	const struct time_range *range = replay->walk->range;
	bool has_ended = call->end_ns != UINT64_MAX;

	if (!thread->depth || !replay_shows(replay, thread) || call->end_ns - call->begin_ns < replay->least_call_ns ||
	    (range && (call->begin_ns < range->begin_ns || call->begin_ns >= range->end_ns)))
		return;
	if (replay->pending)
		replay_pending(replay);
	thread_call_text(&thread->calls, call, thread->process->process, text);
	at = replay_line_within(replay, thread, has_ended ? call->end_ns : call->begin_ns, 64 + sizeof(text));
	at = replay_put_string(replay_note_begin(&replay->lines, at), "# ");
	at = replay_put_string(at, text);
	if (has_ended) {
		*output_duration_at(duration, call->end_ns - call->begin_ns) = '\0';
		at = replay_put_string(replay_put_string(at, ", took "), duration + strspn(duration, " "));
	} else {
		at = replay_put_string(at, ", has no end in the trace");
	}
	replay_line_end(&replay->lines, replay_note_end(&replay->lines, at));
}
