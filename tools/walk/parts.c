/* SPDX-License-Identifier: MIT */
/* parts.c - walks the threads of a process in parts at the same time. */
#include "walk/parts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/jobs.h"
#include "base/ordered_work.h"
#include "walk/part.h"
#include "walk/pieces.h"

struct part {
	const struct thread_slices *const *threads;
	size_t count;
	bool reads_ahead;
	struct walk_part own;		/* unused by the first part, */
	struct walk *walk;		/* ... which uses the walk's memory; these point to it then */
	const struct walk_sink *sink;
	struct walk_process *process;
	struct thread_events *faulty;	/* copies of the counters of threads with unreadable data */
	size_t faulty_count;
	int error;
};

struct parts {
	struct part *list;
	size_t count, claimed;
	struct part *slots[WALK_PARTS_MAX];
};

/*
 * Divides the threads into parts with about the same number of words. @ends: receives the end of each
 * part in @threads.
 *
 * Returns the number of words of the largest part.
 */
static uint64_t divide(const struct thread_slices *const *threads, size_t count, uint64_t words, size_t parts, size_t *ends)
{
	uint64_t before = 0, so_far = 0, largest = 0;
	size_t at = 0;

	for (size_t part = 0; part < parts; part++) {
		uint64_t end = part + 1 < parts ? words / parts * (part + 1) : words;

		/* Ends each part as near to its share as the sizes of threads allow. */
		while (at < count && (so_far + threads[at]->words / 2 <= end || part + 1 == parts))
			so_far += threads[at++]->words;
		ends[part] = at;
		largest = so_far - before > largest ? so_far - before : largest;
		before = so_far;
	}
	return largest;
}

/* Stores the faults of a thread, to report them after the faults of earlier threads. */
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

static bool claim_part(void *context, size_t slot)
{
	struct parts *parts = context;

	if (parts->claimed == parts->count)
		return false;
	parts->slots[slot] = &parts->list[parts->claimed++];
	return true;
}

/* Stores an error in the part, so that earlier parts are reported first. */
static int walk_part(void *context, size_t slot, size_t worker)
{
	struct part *part = ((struct parts *)context)->slots[slot];

	(void)worker;
	for (size_t i = 0; i < part->count && !part->error; i++) {
		struct thread_events events;
		int error = walk_thread(part->walk, part->sink, part->process, part->threads[i], part->reads_ahead, &events);

		part->error = note_faults(part, &events);
		part->error = error ? error : part->error;
	}
	return 0;
}

static const struct ordered_work_steps steps = { .claim = claim_part, .prepare = walk_part };

static void print_faults(struct process *process, const struct part *part)
{
	for (size_t i = 0; i < part->faulty_count; i++)
		walk_complain(process, &part->faulty[i]);
}

/* Adds the results of the part and frees it. Returns @error, or the part's error. */
static int end_part(struct part *part, const struct walk_sink *sink, struct walk_process *process, int error)
{
	if (!error)
		print_faults(&process->process, part);
	error = error ? error : part->error;
	if (part->sink != sink)
		error = walk_part_end(&part->own, sink, &process->functions, error);
	free(part->faulty);
	part->faulty = NULL;
	return error;
}

static int begin_part(struct part *part, struct walk *walk, const struct walk_sink *sink, struct walk_process *process)
{
	int error = walk_part_begin(&part->own, walk, sink, process);

	part->walk = &part->own.walk;
	part->sink = &part->own.sink;
	part->process = &part->own.process;
	return error;
}

/* The first part uses the walk's own sink. The others are added to that sink in order. */
static int walk_divided(struct walk *walk, const struct walk_sink *sink, struct walk_process *process, struct parts *parts)
{
	struct part *list = parts->list;
	struct ordered_work order;
	size_t begun = 1, ended = 0;
	int error = 0;
	long slot;

	list[0].walk = walk;
	list[0].sink = sink;
	list[0].process = process;
	for (; begun < parts->count && !error; begun++)
		error = begin_part(&list[begun], walk, sink, process);
	ordered_work_begin(&order, &steps, parts, parts->count, 1);
	if (!error)
		ordered_work_start(&order, parts->count - 1);
	while (!error && (slot = ordered_work_take(&order, true)) >= 0) {
		error = end_part(parts->slots[slot], sink, process, error);
		ended++;
		ordered_work_release(&order, (size_t)slot);
	}
	ordered_work_end(&order);
	for (; ended < begun; ended++)
		end_part(&list[ended], sink, process, error);
	return error;
}

int walk_parts(struct walk *walk, const struct walk_sink *sink, struct walk_process *process,
	       const struct thread_slices *const *threads, size_t count)
{
	size_t ends[WALK_PARTS_MAX], jobs, part_count, begin = 0;
	struct parts parts = { .count = 0 };
	uint64_t words = 0, most;
	int error;

	for (size_t i = 0; i < count; i++)
		words += threads[i]->words;
	jobs = walk_parts_count(sink, process, words);
	part_count = jobs < count ? jobs : count;
	if (part_count < 2)
		return -ENOTSUP;
	/* If one thread has most of the words, walking its pieces in parallel is faster. */
	most = walk_pieces_are_possible(walk, sink, process) ? words / (5 * jobs) * 6 : words / 5 * 3;
	if (divide(threads, count, words, part_count, ends) > most)
		return -ENOTSUP;
	parts.list = calloc(part_count, sizeof(*parts.list));
	if (!parts.list)
		return -ENOMEM;
	for (; parts.count < part_count; parts.count++) {
		struct part *part = &parts.list[parts.count];

		part->threads = threads + begin;
		part->count = ends[parts.count] - begin;
		part->reads_ahead = jobs_count() >= 2 * part_count;
		begin = ends[parts.count];
	}
	error = walk_divided(walk, sink, process, &parts);
	free(parts.list);
	return error;
}
