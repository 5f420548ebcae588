/* SPDX-License-Identifier: MIT */
/* root_calls.c - finds out which thread had which calls open before it was recorded. */
#include "reader/events/root_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int roots_read(const struct block *block, struct thread_roots **result)
{
	struct spoor_roots record;
	struct thread_roots *roots;
	size_t bytes;

	if (block->body_bytes < sizeof(record))
		return -EBADMSG;
	memcpy(&record, block->body, sizeof(record));
	bytes = block->body_bytes - sizeof(record);
	/* An unreadable stack has the flag and no calls. */
	if (!record.count && !(record.flags & SPOOR_ROOTS_CUT))
		return -EBADMSG;
	/* A valid counter is far below the end of its range. */
	if (record.count > bytes / sizeof(struct spoor_root) || record.counter > INT64_MAX)
		return -EBADMSG;
	bytes = record.count * sizeof(struct spoor_root);
	roots = malloc(sizeof(*roots) + bytes);
	if (!roots)
		return -ENOMEM;
	*roots = (struct thread_roots){
		.thread_id = (uint32_t)block->header.thread_id,
		.thread_serial = record.thread_serial,
		.counter = record.counter,
		.cut = record.flags & SPOOR_ROOTS_CUT,
		.count = record.count,
	};
	memcpy(roots->list, block->body + sizeof(record), bytes);
	for (uint32_t i = 0; i < roots->count; i++) {
		if (roots->list[i].index > SPOOR_INDEX_MAX || roots->list[i].frame > SPOOR_INDEX_MAX) {
			free(roots);
			return -EBADMSG;
		}
	}
	*result = roots;
	return 0;
}

/* Sorts the latest first, because each is put before the roots that its thread already has. */
static int compare(const void *left, const void *right)
{
	const struct thread_roots *a = *(struct thread_roots *const *)left, *b = *(struct thread_roots *const *)right;

	return a->counter > b->counter ? -1 : a->counter < b->counter;
}

/* Returns the first thread that had this kernel ID from then on; null for none. */
static struct thread_slices *first_after(const struct thread_index *threads, const struct thread_roots *roots)
{
	struct thread_slices *first = NULL;

	for (size_t i = 0; i < threads->count; i++) {
		struct thread_slices *thread = threads->threads[i];

		if (thread->thread_id == roots->thread_id && thread->first_counter >= roots->counter &&
		    (!first || thread->first_counter < first->first_counter))
			first = thread;
	}
	return first;
}

int roots_settle(struct process *process)
{
	struct thread_index *threads = &process->threads;
	uint32_t unused = UINT32_MAX;	/* serials count up from 1 */

	if (process->root_count)
		qsort(process->roots, process->root_count, sizeof(*process->roots), compare);
	for (size_t i = 0; i < process->root_count; i++) {
		struct thread_roots *roots = process->roots[i];
		struct thread_slices *thread = roots->thread_serial ? NULL : first_after(threads, roots);

		if (!thread && thread_index_thread(threads, roots->thread_serial ? roots->thread_serial : unused--,
						   roots->thread_id, roots->counter, &thread))
			return -ENOMEM;
		roots->next = thread->roots;
		thread->roots = roots;
		if (roots->counter < thread->first_counter)
			thread->first_counter = roots->counter;
	}
	return 0;
}
