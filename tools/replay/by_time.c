/* SPDX-License-Identifier: MIT */
/*
 * by_time.c - writes the calls of all threads in the order of time. Each line names its thread, and
 * a blank line separates lines of different threads.
 */
#include "replay/replay.h"
#include "walk/merged.h"

static int process_begin(void *context, struct process *process, struct functions *functions)
{
	struct replay *replay = context;
	int error = replay_add_process(replay, process, functions);

	if (!error)
		replay_process_heading(replay, process);
	return error ? error : replay->out.error;
}

static int thread_begin(void *context, const struct thread_slices *slices)
{
	struct replay *replay = context;

	return replay_add_thread(replay, replay->all_processes[replay->process_count - 1], slices);
}

static void switch_thread(void *context, size_t thread)
{
	replay_turn(context, thread);
}

static int trace_end(void *context)
{
	struct replay *replay = context;

	replay_triggers(replay, UINT64_MAX);
	return replay->out.error;
}

int replay_merged(struct replay *replay)
{
	const struct walk_sink sink = {
		.context = replay,
		.trace_begin = replay_trace_begin,
		.process_begin = process_begin,
		.thread_begin = thread_begin,
		.trace_end = trace_end,
		.calls = { .context = replay, .enter = replay_enter, .leave = replay_leave, .other = replay_other,
			   .stop = replay_stop },
	};
	int status = walk_merged(&replay->choice, &sink, switch_thread);

	replay_drop_all(replay);
	return status;
}
