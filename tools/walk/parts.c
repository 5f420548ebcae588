/* SPDX-License-Identifier: MIT */
/* parts.c - the threads of a process in parts that are walked at the same time. */
#include "walk/parts.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/jobs.h"
#include "walk/part.h"
#include "walk/pieces.h"

struct part {
	const struct thread_slices *const *threads;
	size_t count;
	bool reads_ahead;
	struct walk_part own;
	struct thread_events *faulty;	/* threads of which something could not be read: the numbers in them */
	size_t faulty_count;
	int error;
	pthread_t thread;
	bool is_running;
};

/*
 * Parts of about the same number of words. @ends: where each ends, of @threads.
 *
 * Return: how many words the largest has.
 */
static uint64_t divide(const struct thread_slices *const *threads, size_t count, uint64_t words, size_t parts, size_t *ends)
{
	uint64_t before = 0, so_far = 0, largest = 0;
	size_t at = 0;

	for (size_t part = 0; part < parts; part++) {
		uint64_t end = part + 1 < parts ? words / parts * (part + 1) : words;

		/* As near to that as threads let it. */
		while (at < count && (so_far + threads[at]->words / 2 <= end || part + 1 == parts))
			so_far += threads[at++]->words;
		ends[part] = at;
		largest = so_far - before > largest ? so_far - before : largest;
		before = so_far;
	}
	return largest;
}

/* Remembers what is to be said of a thread when those before it have been spoken of. */
static int note_faults(struct part *part, const struct thread_events *events)
{
	struct thread_events *faulty;

	if (!events->unreadable_slices && !events->unknown_words)
		return 0;
	faulty = reallocarray(part->faulty, part->faulty_count + 1, sizeof(*faulty));
	if (!faulty)
		return -ENOMEM;
	part->faulty = faulty;
	faulty[part->faulty_count++] = *events;
	return 0;
}

static void *walk_part(void *context)
{
	struct part *part = context;

	for (size_t i = 0; i < part->count && !part->error; i++) {
		struct thread_events events;
		int error = walk_thread(&part->own.walk, &part->own.sink, &part->own.process, part->threads[i], part->reads_ahead,
					&events);

		part->error = note_faults(part, &events);
		part->error = error ? error : part->error;
	}
	return NULL;
}

static void tell_faults(struct process *process, const struct part *part)
{
	for (size_t i = 0; i < part->faulty_count; i++)
		walk_complain(process, &part->faulty[i]);
}

/* The first part is the walk's own, the others are added to that. */
static int walk_divided(struct walk *walk, const struct walk_sink *sink, struct walk_process *process, struct part *parts,
			size_t count)
{
	size_t begun = 1;
	int error = 0;

	for (; begun < count && !error; begun++)
		error = walk_part_begin(&parts[begun].own, walk, sink, process);
	for (size_t i = 1; i < count && !error; i++) {
		parts[i].is_running = !jobs_thread_begin(&parts[i].thread, walk_part, &parts[i]);
		if (!parts[i].is_running)	/* then it comes when others have ended */
			break;
	}
	for (size_t i = 0; i < parts[0].count && !error; i++) {
		struct thread_events events;

		error = walk_thread(walk, sink, process, parts[0].threads[i], parts[0].reads_ahead, &events);
		walk_complain(&process->process, &events);
	}
	for (size_t i = 1; i < begun; i++) {
		if (parts[i].is_running)
			pthread_join(parts[i].thread, NULL);
		else if (!error)
			walk_part(&parts[i]);
		if (!error)
			tell_faults(&process->process, &parts[i]);
		error = error ? error : parts[i].error;
		error = walk_part_end(&parts[i].own, sink, &process->functions, error);
		free(parts[i].faulty);
	}
	return error;
}

int walk_parts(struct walk *walk, const struct walk_sink *sink, struct walk_process *process,
	       const struct thread_slices *const *threads, size_t count)
{
	size_t ends[WALK_PARTS_MAX], jobs, parts, begin = 0;
	uint64_t words = 0, most;
	struct part *list;
	int error;

	for (size_t i = 0; i < count; i++)
		words += threads[i]->words;
	jobs = walk_parts_count(sink, process, words);
	parts = jobs < count ? jobs : count;
	if (parts < 2)
		return -ENOTSUP;
	/* Where one thread has most of it, processors that share that one's work do better. */
	most = walk_pieces_are_possible(walk, sink, process) ? words / (5 * jobs) * 6 : words / 5 * 3;
	if (divide(threads, count, words, parts, ends) > most)
		return -ENOTSUP;
	list = calloc(parts, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < parts; i++) {
		list[i].threads = threads + begin;
		list[i].count = ends[i] - begin;
		list[i].reads_ahead = jobs_count() >= 2 * parts;
		begin = ends[i];
	}
	error = walk_divided(walk, sink, process, list, parts);
	free(list);
	return error;
}
