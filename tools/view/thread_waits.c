/* SPDX-License-Identifier: MIT */
/* thread_waits.c - collects when threads had no processor, and writes this for a page. */
#include "view/thread_waits.h"

#include <stdlib.h>

int view_waits_begin_thread(struct view_waits *waits, const struct process *process, uint32_t thread_id)
{
	int error = thread_sched_load(&waits->sched, process, thread_id);

	waits->next = 0;
	/* Before its first gap begins, the thread may not have existed. */
	while (waits->next < waits->sched.gap_count && !waits->sched.gaps[waits->next].begin_ns)
		waits->next++;
	return error;
}

static struct view_wait *add_wait(struct view_waits *waits)
{
	if (waits->count == waits->capacity) {
		size_t capacity = waits->capacity ? 2 * waits->capacity : 256;
		struct view_wait *list = reallocarray(waits->list, capacity, sizeof(*list));

		if (!list)
			view_no_memory();
		waits->list = list;
		waits->capacity = capacity;
	}
	return &waits->list[waits->count++];
}

void view_waits_advance(struct view_waits *waits, struct view *view, uint64_t time_ns, size_t depth)
{
	for (; waits->next < waits->sched.gap_count && waits->sched.gaps[waits->next].begin_ns < time_ns; waits->next++) {
		const struct sched_gap *gap = &waits->sched.gaps[waits->next];
		struct view_wait *wait = add_wait(waits);
		const char *function = waker_functions_find(&waits->wakers, gap);
		char text[SCHED_WAIT_TEXT_MAX];

		*wait = (struct view_wait){ .begin_ns = gap->begin_ns, .end_ns = gap->end_ns,
					    .thread = view->thread_count - 1, .depth = (uint32_t)depth,
					    .waker = gap->waker, .is_preempted = gap->is_preempted };
		if (function && !(wait->waker_function = name_table_add(&view->strings, function, "")))
			view_no_memory();
		/* Without descriptors and futexes there are few different texts, which the page holds in memory. */
		if (!thread_sched_wait_text(&waits->sched, gap, false, text))
			continue;
		wait->reason = name_table_add(&view->strings, text, "");
		if (!wait->reason)
			view_no_memory();
	}
}

/* Returns the position + 1 of a thread, as the page numbers threads. */
static uint32_t thread_number(const struct view *view, uint32_t thread_id)
{
	for (uint32_t i = 0; thread_id && i < view->thread_count; i++)
		if (view->threads[i].thread_id == thread_id)
			return i + 1;
	return 0;
}

/* Puts up to VIEW_WAITS_CHUNK gaps of one thread into a chunk. Returns the position after the last one. */
static size_t put_chunk(const struct view_waits *waits, size_t at, const struct view *view, struct view_chunks *chunks)
{
	struct view_bytes columns[VIEW_SUMMARY_COLUMNS] = { 0 };
	struct view_chunk chunk = { .thread = waits->list[at].thread, .kind = VIEW_WAITS };
	uint64_t last_ns = 0;

	for (; at < waits->count && waits->list[at].thread == chunk.thread && chunk.items < VIEW_WAITS_CHUNK; at++) {
		const struct view_wait *wait = &waits->list[at];
		uint64_t begin_ns = wait->begin_ns > view->begin_ns ? wait->begin_ns : view->begin_ns;
		uint64_t end_ns = wait->end_ns < view->end_ns ? wait->end_ns : view->end_ns;

		if (begin_ns >= end_ns)
			continue;
		if (!chunk.items++)
			chunk.first_ns = chunk.begin_ns = last_ns = begin_ns;
		chunk.end_ns = end_ns;
		view_bytes_number(&columns[0], view_zigzag(begin_ns - last_ns));
		last_ns = begin_ns;
		view_bytes_number(&columns[1], end_ns - begin_ns);
		view_bytes_number(&columns[2], wait->is_preempted);
		view_bytes_number(&columns[3], wait->depth);
		view_bytes_number(&columns[4], thread_number(view, wait->waker));
		view_bytes_number(&columns[5], wait->reason);
		view_bytes_number(&columns[6], wait->waker_function);
	}
	if (chunk.items)
		view_chunks_put(chunks, columns, chunk);
	for (int i = 0; i < VIEW_SUMMARY_COLUMNS; i++)
		free(columns[i].bytes);
	return at;
}

void view_waits_put(const struct view_waits *waits, const struct view *view, struct view_chunks *chunks)
{
	for (size_t at = 0; at < waits->count;)
		at = put_chunk(waits, at, view, chunks);
}

void view_waits_free(struct view_waits *waits)
{
	thread_sched_free(&waits->sched);
	waker_functions_free(&waits->wakers);
	free(waits->list);
}
