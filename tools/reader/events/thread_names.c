/* SPDX-License-Identifier: MIT */
/*
 * thread_names.c - assigns the names in a process file to threads.
 *
 * The kernel reuses thread IDs: a name belongs to a thread if it was read before the next thread with
 * that ID began. The last name counts. A name that the thread gave itself contains its serial, and
 * takes precedence.
 */
#include "reader/events/thread_names.h"

#include <errno.h>
#include <stdlib.h>

/* Sorts by kernel ID, the latest thread first. */
static int compare_threads(const void *left, const void *right)
{
	const struct thread_slices *a = *(struct thread_slices *const *)left, *b = *(struct thread_slices *const *)right;

	if (a->thread_id != b->thread_id)
		return a->thread_id < b->thread_id ? -1 : 1;
	return a->serial > b->serial ? -1 : a->serial < b->serial;
}

/* Sorts by kernel ID, the latest name first. */
static int compare_names(const void *left, const void *right)
{
	const struct thread_name *a = *(struct thread_name *const *)left, *b = *(struct thread_name *const *)right;

	if (a->thread_id != b->thread_id)
		return a->thread_id < b->thread_id ? -1 : 1;
	return a > b ? -1 : a < b;
}

/* Both arrays are sorted by kernel ID, so equal IDs are next to each other in both. */
static void join(struct thread_slices **threads, size_t thread_count, struct thread_name **names, size_t name_count)
{
	uint64_t until = UINT64_MAX;
	size_t first = 0;

	for (size_t i = 0; i < thread_count; i++) {
		struct thread_slices *thread = threads[i];
		bool given = false;

		if (i && threads[i - 1]->thread_id != thread->thread_id)
			until = UINT64_MAX;
		while (first < name_count && names[first]->thread_id < thread->thread_id)
			first++;
		for (size_t at = first; at < name_count && names[at]->thread_id == thread->thread_id && !given; at++) {
			given = names[at]->given && names[at]->serial == thread->serial;
			if (given || (!thread->name && !names[at]->given && names[at]->counter <= until))
				thread->name = names[at]->name;
		}
		if (thread->first_counter < until)
			until = thread->first_counter;
	}
}

int thread_names_settle(struct process *process)
{
	size_t thread_count = process->threads.count, name_count = process->name_count;
	struct thread_slices **threads = calloc(thread_count + 1, sizeof(struct thread_slices *));
	struct thread_name **names = calloc(name_count + 1, sizeof(struct thread_name *));
	int error = threads && names ? 0 : -ENOMEM;

	for (size_t i = 0; i < thread_count && !error; i++)
		threads[i] = process->threads.threads[i];
	for (size_t i = 0; i < name_count && !error; i++)
		names[i] = &process->names[i];
	if (!error) {
		qsort(threads, thread_count, sizeof(struct thread_slices *), compare_threads);
		qsort(names, name_count, sizeof(struct thread_name *), compare_names);
		join(threads, thread_count, names, name_count);
	}
	free(threads);
	free(names);
	return error;
}
