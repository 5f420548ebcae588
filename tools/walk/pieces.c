/* SPDX-License-Identifier: MIT */
/* pieces.c - one traced thread in pieces that are walked at the same time. */
#include "walk/pieces.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/jobs.h"
#include "reader/files/slice_run.h"
#include "walk/part.h"

#define PIECES_EACH 4u		/* at least, where there are so many slices */
#define DEPTH_MAX 4096u		/* what more is open takes too long to be copied for each piece */

struct pieces;

struct worker {
	struct pieces *pieces;
	struct walk_part part;
	pthread_t thread;
	bool is_running;
	size_t number;			/* of the piece at hand, */
	struct slice_run run;		/* ... and its slices */
	struct thread_events loader;
};

/* Who has told a piece, and how many functions had turned up there by then; null: who has told the next one. */
struct piece {
	struct walk_part *part;
	uint32_t functions;
};

struct pieces {
	const struct thread_slices *thread;
	pthread_mutex_t lock;		/* of what follows, to `error` */
	pthread_cond_t turned;
	struct thread_walk places;
	struct piece *list;
	size_t claimed, capacity;
	size_t turn;			/* number of a piece */
	int error;

	size_t slices_each;
	struct walk_part all;		/* its tree is that of all pieces before */
	struct thread_events events;
	bool is_telling;		/* that part has been told what is open, and all since */
	size_t told;			/* the last piece that it was told */
	size_t count;
	struct worker workers[];
};

static void fail(struct pieces *pieces, int error)
{
	pthread_mutex_lock(&pieces->lock);
	if (!pieces->error)
		pieces->error = error;
	pthread_cond_broadcast(&pieces->turned);
	pthread_mutex_unlock(&pieces->lock);
}

/* Takes the places of the next piece. Return: whether there is one. */
static bool claim(struct pieces *pieces, struct worker *worker)
{
	bool any = false;

	pthread_mutex_lock(&pieces->lock);
	if (pieces->claimed == pieces->capacity) {
		size_t capacity = pieces->capacity ? 2 * pieces->capacity : 64;
		struct piece *list = reallocarray(pieces->list, capacity, sizeof(*list));

		if (list) {
			pieces->list = list;
			pieces->capacity = capacity;
		} else {
			pieces->error = -ENOMEM;
		}
	}
	if (!pieces->error)
		any = slice_run_claim(&worker->run, &pieces->places, pieces->slices_each);
	if (any)
		worker->number = pieces->claimed++;
	pthread_mutex_unlock(&pieces->lock);
	return any;
}

/* Return: whether it came. */
static bool wait_for_turn(struct worker *worker)
{
	struct pieces *pieces = worker->pieces;
	bool came;

	pthread_mutex_lock(&pieces->lock);
	while (pieces->turn != worker->number && !pieces->error)
		pthread_cond_wait(&pieces->turned, &pieces->lock);
	came = !pieces->error;
	pthread_mutex_unlock(&pieces->lock);
	return came;
}

static void next_turn(struct pieces *pieces)
{
	pthread_mutex_lock(&pieces->lock);
	pieces->turn++;
	pthread_cond_broadcast(&pieces->turned);
	pthread_mutex_unlock(&pieces->lock);
}

static void set_piece(struct pieces *pieces, size_t number, struct walk_part *part)
{
	pthread_mutex_lock(&pieces->lock);
	pieces->list[number] = (struct piece){ part, part ? part->process.functions.count : 0 };
	pthread_mutex_unlock(&pieces->lock);
}

static void begin_telling(struct pieces *pieces)
{
	const struct call_tree *tree = &pieces->all.walk.tree;

	if (!pieces->is_telling)
		pieces->all.sink.piece_begin(pieces->all.sink.context, tree->calls, tree->depth);
	pieces->is_telling = true;
}

static void end_telling(struct pieces *pieces)
{
	const struct call_tree *tree = &pieces->all.walk.tree;

	if (!pieces->is_telling)
		return;
	pieces->all.sink.piece_end(pieces->all.sink.context, tree->calls, tree->depth);
	set_piece(pieces, pieces->told, &pieces->all);
	pieces->is_telling = false;
}

/* Has the tree of all and its events be where the piece ends. */
static int pass_over(const struct worker *worker, struct pieces *pieces)
{
	end_telling(pieces);
	slice_run_pass(&worker->run, &pieces->events);
	return run_effect_apply(&worker->run.effect, &pieces->all.walk.tree, &pieces->all.process.functions);
}

static int walk_apart(struct worker *worker, struct pieces *pieces)
{
	const struct slice_feed feed = slice_run_feed(&worker->run);
	struct walk_part *part = &worker->part;
	struct call_tree *tree = &part->walk.tree;
	struct thread_events events = pieces->events;
	int error;

	events.process = &part->process.process;
	events.functions = &part->process.functions;
	events.feed = &feed;
	events.words = NULL;
	events.at.word = events.at.end = events.all_end = events.dated_end = NULL;
	events.capacity = 0;
	call_tree_begin(tree, &part->process.functions, NULL);
	error = call_tree_take_over(tree, &part->process.functions, &pieces->all.walk.tree, &pieces->all.process.functions);
	if (!error)
		error = pass_over(worker, pieces);
	next_turn(pieces);
	if (error)
		return error;
	part->sink.piece_begin(part->sink.context, tree->calls, tree->depth);
	error = call_tree_follow(tree, &events, &part->sink.calls);
	part->sink.piece_end(part->sink.context, tree->calls, tree->depth);
	set_piece(pieces, worker->number, part);
	thread_events_end(&events);
	return error;
}

static int walk_in_turn(struct worker *worker, struct pieces *pieces)
{
	const struct slice_feed feed = slice_run_feed(&worker->run);
	int error;

	begin_telling(pieces);
	set_piece(pieces, worker->number, NULL);
	pieces->told = worker->number;
	pieces->events.feed = &feed;
	error = call_tree_follow(&pieces->all.walk.tree, &pieces->events, &pieces->all.sink.calls);
	pieces->events.feed = NULL;
	next_turn(pieces);
	return error;
}

/* Its piece is loaded, and it is its turn. */
static int walk_piece(struct worker *worker, struct pieces *pieces)
{
	const struct call_tree *tree = &pieces->all.walk.tree;

	if (tree->depth <= DEPTH_MAX && slice_run_goes_on(&worker->run, &pieces->events) &&
	    run_effect_fits(&worker->run.effect, tree, &pieces->all.process.functions))
		return walk_apart(worker, pieces);
	return walk_in_turn(worker, pieces);
}

static void *work(void *context)
{
	struct worker *worker = context;
	struct pieces *pieces = worker->pieces;
	int error = 0;

	while (!error && claim(pieces, worker)) {
		error = slice_run_load(&worker->run, &worker->loader, &worker->part.process.process.clock);
		if (!error && !wait_for_turn(worker))
			break;
		if (!error)
			error = walk_piece(worker, pieces);
	}
	if (error)
		fail(pieces, error);
	return NULL;
}

static int begin_worker(struct worker *worker, struct pieces *pieces, const struct walk *walk, const struct walk_sink *sink,
			const struct walk_process *process)
{
	struct walk_part *part = &worker->part;
	int error = walk_part_begin(part, walk, sink, process);

	worker->pieces = pieces;
	thread_events_begin(&worker->loader, &part->process.process, &part->process.functions, pieces->thread);
	if (!error && sink->thread_begin)
		error = part->sink.thread_begin(part->sink.context, pieces->thread);
	return error;
}

static void free_worker(struct worker *worker)
{
	thread_events_end(&worker->loader);
	slice_run_free(&worker->run);
}

/* What is behind the last slice. */
static int finish(struct pieces *pieces)
{
	struct walk_part *all = &pieces->all;
	struct call_tree *tree = &all->walk.tree;
	int error;

	begin_telling(pieces);
	pieces->events.walk = pieces->places;
	error = call_tree_follow(tree, &pieces->events, &all->sink.calls);
	if (!error)
		call_tree_end(tree, &all->sink.calls);
	if (!error && all->sink.thread_end)
		error = all->sink.thread_end(all->sink.context, tree);
	return error;
}

/* What the pieces have turned up is the whole's in their order. */
static int put_in_order(struct pieces *pieces, const struct walk_sink *sink, struct functions *functions)
{
	int error = 0;

	for (size_t i = 0; i < pieces->claimed && !error; i++) {
		struct piece *piece = &pieces->list[i];

		if (!piece->part)
			continue;
		error = walk_part_number(piece->part, functions, piece->functions);
		if (!error && sink->piece_in_order)
			sink->piece_in_order(sink->context, &piece->part->sink, piece->part->numbers);
	}
	return error;
}

/* The calling thread is the first worker. */
static void work_all(struct pieces *pieces)
{
	for (size_t i = 1; i < pieces->count; i++)
		pieces->workers[i].is_running = !jobs_thread_begin(&pieces->workers[i].thread, work, &pieces->workers[i]);
	work(&pieces->workers[0]);
	for (size_t i = 1; i < pieces->count; i++)
		if (pieces->workers[i].is_running)
			pthread_join(pieces->workers[i].thread, NULL);
}

static int walk_all(struct pieces *pieces, struct walk *walk, const struct walk_sink *sink, struct walk_process *process)
{
	struct walk_part *all = &pieces->all;
	size_t begun = 0;
	int error = walk_part_begin(all, walk, sink, process);

	thread_events_begin(&pieces->events, &all->process.process, &all->process.functions, pieces->thread);
	call_tree_begin(&all->walk.tree, &all->process.functions, NULL);
	if (!error && sink->thread_begin)
		error = all->sink.thread_begin(all->sink.context, pieces->thread);
	for (; begun < pieces->count && !error; begun++)
		error = begin_worker(&pieces->workers[begun], pieces, walk, sink, process);
	if (!error) {
		work_all(pieces);
		error = pieces->error;
	}
	if (!error)
		error = finish(pieces);
	if (!error)
		error = put_in_order(pieces, sink, &process->functions);
	error = walk_part_end(all, sink, &process->functions, error);
	for (size_t i = 0; i < begun; i++) {
		error = walk_part_end(&pieces->workers[i].part, sink, &process->functions, error);
		free_worker(&pieces->workers[i]);
	}
	return error;
}

bool walk_pieces_are_possible(const struct walk *walk, const struct walk_sink *sink, const struct walk_process *process)
{
	/* What is left out of calls depends on more than what is open. */
	return sink->piece_begin && !walk->range && !walk->choice->libraries && !walk->choice->least_ns &&
	       !process->process.disabled_count;
}

int walk_pieces(struct walk *walk, const struct walk_sink *sink, struct walk_process *process,
		const struct thread_slices *thread, struct thread_events *events)
{
	/* A part costs more than a thread that reads ahead. */
	size_t count = walk_parts_count(sink, process, thread->file_words / 4);
	struct pieces *pieces;
	int error;

	if (count < 2 || !walk_pieces_are_possible(walk, sink, process))
		return -ENOTSUP;
	pieces = calloc(1, sizeof(*pieces) + count * sizeof(pieces->workers[0]));
	if (!pieces)
		return -ENOMEM;
	pieces->thread = thread;
	pieces->count = count;
	pieces->slices_each = thread->slices / (count * PIECES_EACH) + 1;
	if (pieces->slices_each > SLICE_RUN_MAX)
		pieces->slices_each = SLICE_RUN_MAX;
	thread_walk_begin(&pieces->places, thread);
	pthread_mutex_init(&pieces->lock, NULL);
	pthread_cond_init(&pieces->turned, NULL);
	error = walk_all(pieces, walk, sink, process);
	pthread_cond_destroy(&pieces->turned);
	pthread_mutex_destroy(&pieces->lock);
	thread_events_end(&pieces->events);
	*events = pieces->events;
	events->process = &process->process;
	events->functions = &process->functions;
	free(pieces->list);
	free(pieces);
	return error;
}
