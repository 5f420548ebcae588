/* SPDX-License-Identifier: MIT */
/* follow.c - finds new records and slices in the files and the pool of a process that is being recorded. */
#include "live/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/clocks.h"
#include "drain/pending_slices.h"
#include "base/message.h"
#include "reader/events/root_calls.h"
#include "reader/events/thread_names.h"

void follow_take_pool(struct follow *follow, const struct live_pool *pool)
{
	const struct spoor_clocks *begin = &pool->pool->begin;

	follow->pool = *pool;
	clock_add(&follow->process.clock, begin->counter, begin->steady_ns, begin->system_ns);
}

/* A missing file is no error, because it may come later. */
static int open_file(struct follow *follow, struct block_file *file, const char *name)
{
	char *path;
	int error;

	if (asprintf(&path, "%s/%s", follow->process.path, name) < 0)
		return -ENOMEM;
	error = block_file_open(file, follow->folder, name, path);
	free(path);
	return error;
}

int follow_begin(struct follow *follow, int directory, const char *name, const char *path,
		 const struct live_pool *pool, uint64_t most_bytes, struct symbol_cache *symbols)
{
	int error;

	*follow = (struct follow){ .symbols = symbols, .folder = -1 };
	follow->records.window.fd = -1;
	error = process_init(&follow->process, name, path);
	if (error)
		goto end;
	follow->folder = openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	error = follow->folder < 0 ? -errno : open_file(follow, &follow->records, SPOOR_PROCESS_FILE);
	if (!error)
		error = functions_begin(&follow->functions, &follow->process);
	if (error)
		goto end;
	follow->libraries.functions = &follow->functions;
	if (pool) {
		/* The file has whole blocks up to this size. */
		uint64_t file_bytes = __atomic_load_n(&pool->pool->file_bytes, __ATOMIC_RELAXED);

		follow_take_pool(follow, pool);
		if (file_bytes > most_bytes)
			follow->process.events.position = file_bytes;
	}
	return 0;
end:
	follow_end(follow);
	return error;
}

void follow_leave_pool(struct follow *follow)
{
	live_pool_close(&follow->pool);
}

void follow_end(struct follow *follow)
{
	for (size_t i = 0; i < follow->thread_count; i++)
		follow_thread_free(follow->threads[i]);
	free(follow->threads);
	map64_free(&follow->thread_at);
	follow_leave_pool(follow);
	block_file_close(&follow->records);
	functions_end(&follow->functions);
	call_choice_free(&follow->libraries);
	process_close(&follow->process);
	if (follow->folder >= 0)
		close(follow->folder);
	/* Allows a second call of follow_end, because a follower of execve(2) may find no new trace. */
	follow->threads = NULL;
	follow->thread_count = 0;
	follow->folder = -1;
}

int follow_records(struct follow *follow)
{
	struct block block;
	int more, error = file_window_again(&follow->records.window);
	bool any = false;

	if (error)
		return error;
	while ((more = block_file_follow(&follow->records, &block)) > 0) {
		any = true;
		process_take_clocks(&follow->process, &block);
		error = process_take_record(&follow->process, &block, follow->symbols);
		if (error == -ENOMEM)
			return error;
	}
	if (more < 0)
		return more;
	for (; follow->modules_met < follow->process.module_count; follow->modules_met++)
		functions_module_came(&follow->functions, &follow->process.modules[follow->modules_met]);
	return any ? process_settle(&follow->process) : 0;
}

/* Notes the new slices in the events file. */
static int index_events(struct follow *follow)
{
	struct block_file *file = &follow->process.events;
	uint64_t position = file->position;
	struct block block;
	int more, error;

	if (!follow->has_events) {
		error = open_file(follow, file, SPOOR_EVENTS_FILE);
		if (error)
			return error == -ENOENT ? 0 : error;
		file->position = position;
		follow->has_events = true;
	}
	error = file_window_again(&file->window);
	if (error)
		return error;
	while ((more = block_file_follow(file, &block)) > 0) {
		struct follow_thread *thread;
		struct spoor_slice_info info;

		process_take_clocks(&follow->process, &block);
		if (block.extension.kind != SPOOR_BLOCK_EVENTS) {
			error = process_take_record(&follow->process, &block, follow->symbols);
		} else if (block.extension.flags & SPOOR_BLOCK_PARTIAL || !process_slice_info(&block, &info)) {
			/* The whole slice is still in the pool. The drainer writes it later. */
			continue;
		} else {
			error = follow_thread(follow, &info, &thread);
			if (!error)
				error = follow_places_add(&thread->file, info.sequence, block.offset);
		}
		if (error == -ENOMEM)
			return error;
	}
	return more;
}

/* Notes the slices in the pool. */
static int index_pool(struct follow *follow)
{
	struct spoor_pool *pool = follow->pool.pool;
	int error = 0;

	for (size_t i = 0; i < follow->thread_count; i++)
		follow->threads[i]->pool.first = follow->threads[i]->pool.count = 0;
	for (uint32_t i = 0; pool && i < (follow->pool.slice_count + 63) / 64; i++) {
		uint64_t used = ~__atomic_load_n(&pool->free[i], __ATOMIC_ACQUIRE) &
				spoor_pending_slices_mask(follow->pool.slice_count, i);

		for (; used && !error; used &= used - 1) {
			uint32_t slice = i * 64 + (uint32_t)__builtin_ctzll(used);
			struct follow_thread *thread;
			struct spoor_slice_info info;

			memcpy(&info, spoor_pool_info(pool, slice), sizeof(info));
			/* A thread has taken the slice and not begun it, or is releasing it. */
			if (!info.counter || !info.thread_serial)
				continue;
			error = follow_thread(follow, &info, &thread);
			if (!error)
				error = follow_places_add(&thread->pool, info.sequence, THREAD_PLACE_POOL | slice);
		}
	}
	return error;
}

/* Returns the thread that new roots belong to, if it is known. */
static struct follow_thread *thread_of_roots(struct follow *follow, const struct thread_roots *roots)
{
	for (size_t i = 0; i < follow->thread_count; i++) {
		struct follow_thread *thread = follow->threads[i];

		if (roots->thread_serial ? thread->slices->serial == roots->thread_serial :
					   thread->slices->thread_id == roots->thread_id)
			return thread;
	}
	return NULL;
}

/* Gives the roots that were looked at to their threads, in order. Other roots wait for their threads. */
static void give_roots(struct follow *follow)
{
	struct thread_roots **list = follow->process.roots;

	for (size_t i = follow->roots_given; i < follow->process.root_count; i++) {
		struct thread_roots *roots = list[i];
		struct follow_thread *thread = thread_of_roots(follow, roots);

		if (!thread)
			continue;
		roots->next = NULL;
		if (thread->events.roots)
			thread->last_roots->next = roots;
		else
			thread->events.roots = roots;
		thread->last_roots = roots;
		list[i] = list[follow->roots_given];
		list[follow->roots_given++] = roots;
	}
}

static int settle_names(struct follow *follow)
{
	if (follow->names_met == follow->process.name_count && follow->threads_met == follow->thread_count)
		return 0;
	follow->names_met = follow->process.name_count;
	follow->threads_met = follow->thread_count;
	return thread_names_settle(&follow->process);
}

int follow_look(struct follow *follow, bool last)
{
	struct spoor_clocks now = { 0 };
	const char *counter;
	int error;

	spoor_clocks_read(&now, false);
	follow->look_ns = now.steady_ns;
	follow->last = last;
	/* The pool comes first: slices drained in between are then in both. The file has a module's record before
	 * the module's events. */
	error = index_pool(follow);
	if (!error)
		error = index_events(follow);
	if (!error)
		error = follow_records(follow);
	if (!error)
		error = settle_names(follow);
	if (error)
		return error;
	give_roots(follow);
	counter = process_fact(&follow->process, "counter");
	if (follow->pool.pool ? follow->pool.pool->counter_is_clock != 0 : counter && strcmp(counter, "clock") == 0)
		now.counter = (uint64_t)now.steady_ns;
	clock_add(&follow->process.clock, now.counter, now.steady_ns, now.system_ns);
	error = clock_finish(&follow->process.clock);
	if (error)
		return error;
	follow->until_ns = last ? UINT64_MAX : clock_ns(&follow->process.clock, now.counter);
	follow->complete_ns = follow->until_ns > FOLLOW_PATIENCE_NS ? follow->until_ns - FOLLOW_PATIENCE_NS : 0;
	return 0;
}
