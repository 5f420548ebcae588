/* SPDX-License-Identifier: MIT */
/*
 * replay_merged.c - the calls of all threads as lines in the order of time, each with its thread,
 * and a blank line where another thread goes on.
 */
#include <errno.h>
#include <stdlib.h>

#include "replay.h"
#include "walk_merged.h"

static int process_begin(void *context, struct process *process, struct functions *functions)
{
	struct replay *replay = context;
	struct replay_process *own;

	if (replay->process_count == replay->process_capacity) {
		size_t capacity = replay->process_capacity ? 2 * replay->process_capacity : 16;
		struct replay_process **all = reallocarray(replay->all_processes, capacity, sizeof(struct replay_process *));

		if (!all)
			return -ENOMEM;
		replay->all_processes = all;
		replay->process_capacity = capacity;
	}
	own = calloc(1, sizeof(*own));
	if (!own)
		return -ENOMEM;
	own->process = process;
	own->texts = (struct replay_texts){
		.functions = functions, .patterns = replay->patterns, .colored = replay->lines.colored,
	};
	replay->all_processes[replay->process_count++] = own;
	replay_process_heading(replay, process);
	return replay->out.error;
}

static int thread_begin(void *context, const struct thread_slices *slices)
{
	struct replay *replay = context;
	struct replay_process *process = replay->all_processes[replay->process_count - 1];
	struct replay_thread *thread;
	uint32_t *at;

	if (replay->thread_count == replay->thread_capacity) {
		size_t capacity = replay->thread_capacity ? 2 * replay->thread_capacity : 64;
		struct replay_thread **threads = reallocarray(replay->threads, capacity, sizeof(struct replay_thread *));

		if (!threads)
			return -ENOMEM;
		replay->threads = threads;
		replay->thread_capacity = capacity;
	}
	thread = malloc(sizeof(*thread));
	at = thread ? map64_at(&process->thread_at, slices->serial) : NULL;
	if (!at) {
		free(thread);
		return -ENOMEM;
	}
	replay_thread_begin(replay, thread, process, slices);
	replay->threads[replay->thread_count++] = thread;
	*at = (uint32_t)replay->thread_count;
	return 0;
}

static void turn(void *context, size_t thread)
{
	struct replay *replay = context;

	replay->thread = replay->threads[thread];
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
		.calls = { replay, replay_enter, replay_leave, replay_other, replay_stop },
	};
	int status = walk_merged(&replay->choice, &sink, turn);

	for (size_t i = 0; i < replay->process_count; i++) {
		replay_texts_free(&replay->all_processes[i]->texts);
		map64_free(&replay->all_processes[i]->thread_at);
		free(replay->all_processes[i]);
	}
	for (size_t i = 0; i < replay->thread_count; i++)
		free(replay->threads[i]);
	free(replay->all_processes);
	free(replay->threads);
	return status;
}
