/* SPDX-License-Identifier: MIT */
/* merged_lines.c - adds and removes the processes and threads whose calls are written by time. */
#include "walk/lines/call_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int replay_add_process(struct replay *replay, struct process *process, struct functions *functions)
{
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
	return 0;
}

int replay_add_thread(struct replay *replay, struct replay_process *process, const struct thread_slices *slices)
{
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

void replay_name_thread(struct replay *replay, struct replay_thread *thread)
{
	const struct thread_slices *slices = thread->slices;

	if (thread->column_bytes && thread->name == slices->name)
		return;
	thread->name = slices->name;
	replay_column(&replay->lines, thread->column, slices->thread_id,
		      slices->name ? slices->name : process_title(thread->process->process), thread->number,
		      &thread->column_bytes);
}

void replay_turn(struct replay *replay, size_t thread)
{
	replay->thread = replay->threads[thread];
	/* The next wait or system call may be this thread's. */
	if (replay_has_states(replay))
		replay->trigger_ns = 0;
}

static void free_process(struct replay_process *process)
{
	replay_texts_free(&process->texts);
	map64_free(&process->thread_at);
	free(process);
}

void replay_drop_process(struct replay *replay, struct replay_process *process)
{
	static const struct replay_thread gone;
	size_t at = 0;

	if (replay->pending && replay->pending->process == process)
		replay_pending(replay);
	for (size_t i = 0; i < replay->thread_count; i++) {
		if (!replay->threads[i] || replay->threads[i]->process != process)
			continue;
		/* The next line belongs to another thread. */
		if (replay->latest == replay->threads[i])
			replay->latest = &gone;
		replay_waits_end(replay->threads[i]);
		free(replay->threads[i]);
		replay->threads[i] = NULL;
	}
	while (replay->all_processes[at] != process)
		at++;
	replay->process_count--;
	memmove(&replay->all_processes[at], &replay->all_processes[at + 1],
		(replay->process_count - at) * sizeof(struct replay_process *));
	free_process(process);
}

void replay_drop_all(struct replay *replay)
{
	for (size_t i = 0; i < replay->process_count; i++)
		free_process(replay->all_processes[i]);
	for (size_t i = 0; i < replay->thread_count; i++) {
		if (replay->threads[i])
			replay_waits_end(replay->threads[i]);
		free(replay->threads[i]);
	}
	free(replay->all_processes);
	free(replay->threads);
}
