/* SPDX-License-Identifier: MIT */
/* merged_tree.c - shows the calls of all processes that are being recorded, by time. */
#include "record/merged_tree.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct live_process {
	struct follow follow;
	struct replay_process *shown;	/* null until one of its calls is shown */
	size_t threads_shown;
	bool had_pool, has_pool, ended;
};

/* A thread with calls to report. */
struct live_ready {
	struct follow_thread *thread;
	uint64_t time_ns;
};

static void complain(struct live_tree *live, const char *path, int error)
{
	if (!live->is_error)
		message("--live: cannot read %s: %s; some calls are not shown", path, strerror(-error));
	live->is_error = true;
}

static void process_free(struct live_tree *live, struct live_process *process)
{
	if (process->shown)
		replay_drop_process(&live->replay, process->shown);
	follow_end(&process->follow);
	free(process);
}

static int add_process(struct live_tree *live, int directory, const char *name)
{
	struct live_process *process;
	char path[PATH_MAX];
	int error;

	if (live->process_count == live->process_capacity) {
		size_t capacity = live->process_capacity ? 2 * live->process_capacity : 16;
		struct live_process **all = reallocarray(live->processes, capacity, sizeof(struct live_process *));

		if (!all)
			return -ENOMEM;
		live->processes = all;
		live->process_capacity = capacity;
	}
	process = calloc(1, sizeof(*process));
	if (!process)
		return -ENOMEM;
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", live->trace_path, name) >= sizeof(path))
		error = -ENAMETOOLONG;
	else
		error = follow_begin(&process->follow, directory, name, path, NULL, UINT64_MAX, &live->symbols);
	if (error) {
		free(process);
		return error;
	}
	process->follow.libraries.libraries = live->replay.choice.libraries;
	live->processes[live->process_count++] = process;
	return 0;
}

/* Begins to follow new processes. */
static void find_new_processes(struct live_tree *live)
{
	DIR *folder = opendir(live->trace_path);
	struct dirent *item;

	while (folder && (item = readdir(folder))) {
		uint64_t key = XXH3_64bits(item->d_name, strlen(item->d_name));
		uint32_t *known;
		int error;

		if (item->d_name[0] < '0' || item->d_name[0] > '9')
			continue;
		known = map64_at(&live->known, key);
		if (known && *known)
			continue;
		error = known ? add_process(live, dirfd(folder), item->d_name) : -ENOMEM;
		/* The process has made its folder, and no file in it yet. */
		if (error == -ENOENT)
			continue;
		if (error)
			complain(live, item->d_name, error);
		if (known)
			*known = 1;
	}
	if (folder)
		closedir(folder);
}

/* Finds out whether the recorder still drains the process's pool, and maps the pool the first time. Returns 0 or
 * a negative errno. */
static int check_recorder(struct live_tree *live, struct live_process *process)
{
	struct live_pool pool = { 0 };
	int fd = -1, error = 0;

	process->has_pool = live->recorder && recorder_pool(live->recorder, process->follow.process.name,
							    process->had_pool ? NULL : &fd);
	if (process->has_pool && !process->had_pool) {
		process->had_pool = true;
		error = fd < 0 ? -errno : live_pool_map(&pool, fd);
		if (!error)
			follow_take_pool(&process->follow, &pool);
		if (fd >= 0)
			close(fd);
	}
	if (!process->has_pool)
		follow_leave_pool(&process->follow);
	return error;
}

static int look_at_process(struct live_tree *live, struct live_process *process)
{
	bool had_pool = process->had_pool, had_ended = process->follow.process.ended;
	int error = check_recorder(live, process);

	/* If the pool was drained completely, the file has all events. So it does if the process itself recorded
	 * its end. */
	process->ended = !live->recorder || (!process->has_pool && (had_pool || had_ended));
	return error ? error : follow_look(&process->follow, process->ended);
}

/* Adds a thread that has not been shown yet, and its process if necessary. */
static int show_thread(struct live_tree *live, struct live_process *process, struct follow_thread *thread)
{
	struct replay *replay = &live->replay;
	int error = 0;

	if (!process->shown) {
		error = replay_add_process(replay, &process->follow.process, &process->follow.functions);
		if (error)
			return error;
		process->shown = replay->all_processes[replay->process_count - 1];
		if (replay->pending)
			replay_pending(replay);
		if (replay->processes)
			output_char(&replay->out, '\n');
		if (!replay->lines.begin_ns)
			replay->lines.begin_ns = (uint64_t)process->follow.process.begin_steady_ns;
		replay_process_heading(replay, &process->follow.process);
	}
	error = replay_add_thread(replay, process->shown, thread->slices);
	if (error)
		return error;
	thread->own = replay->threads[replay->thread_count - 1];
	thread->filter.least_ns = replay->choice.least_ns;
	thread->entrance = call_filter_thread(&thread->filter, &live->calls);
	return 0;
}

static int add_ready(struct live_tree *live, struct follow_thread *thread, uint64_t time_ns)
{
	if (live->ready_count == live->ready_capacity) {
		size_t capacity = live->ready_capacity ? 2 * live->ready_capacity : 64;
		struct live_ready *ready = reallocarray(live->ready, capacity, sizeof(*ready));

		if (!ready)
			return -ENOMEM;
		live->ready = ready;
		live->ready_capacity = capacity;
	}
	live->ready[live->ready_count++] = (struct live_ready){ thread, time_ns };
	return 0;
}

/* Collects the threads of a process with calls to report. */
static int find_ready(struct live_tree *live, struct live_process *process)
{
	struct follow *follow = &process->follow;
	int error = 0;

	for (size_t i = 0; i < follow->thread_count && !error; i++) {
		struct follow_thread *thread = follow->threads[i];
		const struct event *event;
		int more = follow_peek(thread, &event);

		if (more < 0)
			return more;
		if (!more)
			continue;
		if (!thread->own)
			error = show_thread(live, process, thread);
		if (!error)
			error = add_ready(live, thread, event->time_ns);
	}
	return error;
}

static void turn_to(struct live_tree *live, struct follow_thread *thread)
{
	live->replay.thread = thread->own;
	/* The thread's name may come after its first events. */
	replay_name_thread(&live->replay, thread->own);
}

/* Reports the calls of the first thread up to another thread's time. Returns 0 or a negative errno. */
static int report_first(struct live_tree *live)
{
	struct live_ready *ready = live->ready, *first = ready;
	uint64_t until_ns = UINT64_MAX;
	const struct event *event;
	int more = 0;

	for (size_t i = 1; i < live->ready_count; i++) {
		struct live_ready *other = &ready[i];

		if (other->time_ns < first->time_ns) {
			until_ns = first->time_ns;
			first = other;
		} else if (other->time_ns < until_ns) {
			until_ns = other->time_ns;
		}
	}
	turn_to(live, first->thread);
	while ((more = follow_peek(first->thread, &event)) > 0 && event->time_ns <= until_ns) {
		more = call_tree_take(&first->thread->tree, event, first->thread->entrance);
		follow_take(first->thread);
		if (more < 0)
			break;
	}
	if (more > 0)
		first->time_ns = event->time_ns;
	else if (!more)
		*first = ready[--live->ready_count];
	return more < 0 ? more : 0;
}

/* Closes a process whose calls were all reported. */
static void close_process(struct live_tree *live, struct live_process *process)
{
	for (size_t i = 0; i < process->follow.thread_count; i++) {
		struct follow_thread *thread = process->follow.threads[i];

		if (!thread->own)
			continue;
		turn_to(live, thread);
		call_tree_end(&thread->tree, thread->entrance);
	}
	process_free(live, process);
}

void live_tree_tick(struct live_tree *live)
{
	uint64_t until_ns = UINT64_MAX;
	size_t kept = 0;
	int error = 0;

	find_new_processes(live);
	for (size_t i = 0; i < live->process_count; i++) {
		struct live_process *process = live->processes[i];

		error = look_at_process(live, process);
		if (error) {
			complain(live, process->follow.process.path, error);
			process_free(live, process);
			continue;
		}
		if (process->follow.until_ns < until_ns)
			until_ns = process->follow.until_ns;
		live->processes[kept++] = process;
	}
	live->process_count = kept;
	live->replay.trigger_ns = 0;
	for (size_t i = 0; i < kept && !error; i++) {
		if (!live->processes[i]->ended)
			live->processes[i]->follow.until_ns = until_ns;
		error = find_ready(live, live->processes[i]);
	}
	while (!error && live->ready_count && !output_failed(&live->replay.out))
		error = report_first(live);
	live->ready_count = 0;
	if (error)
		complain(live, live->trace_path, error);
	kept = 0;
	for (size_t i = 0; i < live->process_count; i++) {
		if (live->processes[i]->ended)
			close_process(live, live->processes[i]);
		else
			live->processes[kept++] = live->processes[i];
	}
	live->process_count = kept;
	/* A call that has not returned for this long is shown. */
	if (live->replay.pending && (until_ns == UINT64_MAX || live->replay.pending_ns + LIVE_TREE_INTERVAL_NS < until_ns))
		replay_pending(&live->replay);
	output_flush(&live->replay.out);
}

void live_tree_begin(struct live_tree *live)
{
	live->replay.merged = live->replay.heading_due = true;
	live->replay.walk = &live->walk;
	live->calls = (struct call_sink){ .context = &live->replay, .enter = replay_enter, .leave = replay_leave,
					  .other = replay_other };
}

void live_tree_end(struct live_tree *live)
{
	for (size_t i = 0; i < live->process_count; i++)
		process_free(live, live->processes[i]);
	replay_drop_all(&live->replay);
	symbol_cache_free(&live->symbols);
	map64_free(&live->known);
	free(live->processes);
	free(live->ready);
}
