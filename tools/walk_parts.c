/* SPDX-License-Identifier: MIT */
/* walk_parts.c - the threads of a process in parts that are walked at the same time. */
#include "walk_parts.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "reader/jobs.h"

/* Each part has buffers, and what its sink adds up. */
#define PARTS_MAX 16u

struct part {
	const struct thread_slices *const *threads;
	size_t count;
	bool reads_ahead;

	struct walk walk;
	struct walk_sink sink;
	struct walk_process process;
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
		int error = walk_thread(&part->walk, &part->sink, &part->process, part->threads[i], part->reads_ahead, &events);

		part->error = note_faults(part, &events);
		part->error = error ? error : part->error;
	}
	return NULL;
}

/* What is read through a buffer of one's own. */
static struct file_window own_window(const struct file_window *window)
{
	return (struct file_window){ .fd = window->fd, .size = window->size, .ahead = window->ahead };
}

static int begin(struct part *part, const struct walk *walk, const struct walk_sink *sink, const struct walk_process *process)
{
	part->walk = (struct walk){ .choice = walk->choice, .origin_ns = walk->origin_ns, .range = walk->range };
	part->process.process = process->process;
	part->process.process.events.window = own_window(&process->process.events.window);
	part->process.process.pool.window = own_window(&process->process.pool.window);
	part->process.libraries = (struct library_choice){
		.patterns = process->libraries.patterns, .functions = &part->process.functions,
	};
	part->sink = *sink;
	part->error = functions_begin(&part->process.functions, &part->process.process);
	functions_describe(&part->process.functions, process->functions.described, process->functions.demangle);
	if (!part->error)
		part->error = sink->part_begin(sink->context, &part->process.functions, &part->sink);
	return part->error;
}

static void free_part(struct part *part)
{
	functions_end(&part->process.functions);
	library_choice_free(&part->process.libraries);
	free(part->process.process.events.window.buffer);
	free(part->process.process.pool.window.buffer);
	call_tree_free(&part->walk.tree);
	call_filter_free(&part->walk.filter);
	free(part->faulty);
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
	int error = 0;

	for (size_t i = 1; i < count && !error; i++)
		error = begin(&parts[i], walk, sink, process);
	for (size_t i = 1; i < count && !error; i++) {
		parts[i].is_running = !pthread_create(&parts[i].thread, NULL, walk_part, &parts[i]);
		if (!parts[i].is_running)	/* then it comes when others have ended */
			break;
	}
	for (size_t i = 0; i < parts[0].count && !error; i++) {
		struct thread_events events;

		error = walk_thread(walk, sink, process, parts[0].threads[i], parts[0].reads_ahead, &events);
		walk_complain(&process->process, &events);
	}
	for (size_t i = 1; i < count; i++) {
		if (parts[i].is_running)
			pthread_join(parts[i].thread, NULL);
		else if (!error)
			walk_part(&parts[i]);
		if (!error)
			tell_faults(&process->process, &parts[i]);
		if (parts[i].sink.context != sink->context)
			sink->part_end(sink->context, &parts[i].sink);
		error = error ? error : parts[i].error;
		free_part(&parts[i]);
	}
	return error;
}

int walk_parts(struct walk *walk, const struct walk_sink *sink, struct walk_process *process,
	       const struct thread_slices *const *threads, size_t count)
{
	size_t ends[PARTS_MAX], parts = jobs_count(), begin = 0;
	uint64_t words = 0;
	struct part *list;
	int error;

	for (size_t i = 0; i < count; i++)
		words += threads[i]->words;
	parts = parts < PARTS_MAX ? parts : PARTS_MAX;
	parts = parts < count ? parts : count;
	if (!sink->part_begin || process->process.version0 || parts < 2 || !jobs_are_worth(words))
		return -ENOTSUP;
	/* Where one thread has most of it, two processors that share that one's work do better. */
	if (divide(threads, count, words, parts, ends) > words / 5 * 3)
		return -ENOTSUP;
	list = calloc(parts, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < parts; i++) {
		list[i].threads = threads + begin;
		list[i].count = ends[i] - begin;
		list[i].reads_ahead = jobs_count() >= 2 * parts;
		list[i].sink.context = sink->context;
		begin = ends[i];
	}
	error = walk_divided(walk, sink, process, list, parts);
	free(list);
	return error;
}
