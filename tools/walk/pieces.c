/* SPDX-License-Identifier: MIT */
/* pieces.c - walks one traced thread in pieces at the same time. */
#include "walk/pieces.h"

#include <errno.h>
#include <stdlib.h>

#include "base/jobs.h"
#include "base/ordered_work.h"
#include "reader/files/slice_run.h"
#include "walk/part.h"

#define PIECES_EACH 4u		/* the least number of pieces for each worker, if there are enough slices */
#define DEPTH_MAX 4096u		/* copying more open calls for each piece takes too long */

struct worker {
	struct walk_part part;
	struct thread_events loader;
	struct thread_events events;	/* of the piece that this worker walks apart */
};

/* The piece in a slot. */
struct slot {
	size_t number;
	struct slice_run run;
	bool is_apart;			/* the worker walks it after its turn */
};

/* The part that a piece was reported to, and how many functions it had found by then; null: the same part as for
 * the next piece. */
struct piece {
	struct walk_part *part;
	uint32_t functions;
};

struct pieces {
	const struct thread_slices *thread;
	struct thread_walk places;
	pthread_mutex_t lock;		/* protects the list */
	struct piece *list;
	size_t claimed, capacity;
	int error;			/* of a claim */

	size_t slices_each;
	struct walk_part all;		/* its tree contains all earlier pieces */
	struct thread_events events;
	bool is_telling;		/* that part has received the open calls, and all calls since */
	size_t told;			/* the last piece that it received */
	size_t count;			/* number of workers, and of slots */
	struct slot *slots;
	struct worker workers[];
};

static int make_room(struct pieces *pieces)
{
	size_t capacity = pieces->capacity ? 2 * pieces->capacity : 64;
	struct piece *list;

	if (pieces->claimed < pieces->capacity)
		return 0;
	list = reallocarray(pieces->list, capacity, sizeof(*list));
	if (!list)
		return -ENOMEM;
	pieces->list = list;
	pieces->capacity = capacity;
	return 0;
}

/* Takes the places of the next piece. */
static bool claim(void *context, size_t number)
{
	struct pieces *pieces = context;
	struct slot *slot = &pieces->slots[number];

	pthread_mutex_lock(&pieces->lock);
	pieces->error = make_room(pieces);
	pthread_mutex_unlock(&pieces->lock);
	if (pieces->error || !slice_run_claim(&slot->run, &pieces->places, pieces->slices_each))
		return false;
	slot->number = pieces->claimed++;
	return true;
}

static int load(void *context, size_t slot, size_t number)
{
	struct pieces *pieces = context;
	struct worker *worker = &pieces->workers[number];

	return slice_run_load(&pieces->slots[slot].run, &worker->loader, &worker->part.process.process.clock);
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

/* Moves the main tree and its events to the end of the piece. */
static int pass_over(struct pieces *pieces, const struct slot *slot)
{
	end_telling(pieces);
	slice_run_pass(&slot->run, &pieces->events);
	return run_effect_apply(&slot->run.effect, &pieces->all.walk.tree, &pieces->all.process.functions);
}

/* Copies the state that the worker needs to walk the piece after its turn. */
static int prepare_apart(struct pieces *pieces, struct slot *slot, struct worker *worker)
{
	struct walk_part *part = &worker->part;
	int error;

	slot->is_apart = true;
	worker->events = pieces->events;
	worker->events.process = &part->process.process;
	worker->events.functions = &part->process.functions;
	call_tree_begin(&part->walk.tree, &part->process.functions, NULL);
	error = call_tree_take_over(&part->walk.tree, &part->process.functions, &pieces->all.walk.tree,
				    &pieces->all.process.functions);
	return error ? error : pass_over(pieces, slot);
}

static int walk_apart(struct pieces *pieces, struct slot *slot, struct worker *worker)
{
	const struct slice_feed feed = slice_run_feed(&slot->run);
	struct thread_events *events = &worker->events;
	struct walk_part *part = &worker->part;
	struct call_tree *tree = &part->walk.tree;
	int error;

	events->feed = &feed;
	events->words = NULL;
	events->at.word = events->at.end = events->all_end = events->dated_end = NULL;
	events->capacity = 0;
	part->sink.piece_begin(part->sink.context, tree->calls, tree->depth);
	error = call_tree_follow(tree, events, &part->sink.calls);
	part->sink.piece_end(part->sink.context, tree->calls, tree->depth);
	set_piece(pieces, slot->number, part);
	thread_events_end(events);
	return error;
}

static int walk_in_turn(struct pieces *pieces, struct slot *slot)
{
	const struct slice_feed feed = slice_run_feed(&slot->run);
	int error;

	slot->is_apart = false;
	begin_telling(pieces);
	set_piece(pieces, slot->number, NULL);
	pieces->told = slot->number;
	pieces->events.feed = &feed;
	error = call_tree_follow(&pieces->all.walk.tree, &pieces->events, &pieces->all.sink.calls);
	pieces->events.feed = NULL;
	return error;
}

static int take_turn(void *context, size_t number, size_t worker)
{
	struct pieces *pieces = context;
	struct slot *slot = &pieces->slots[number];
	const struct call_tree *tree = &pieces->all.walk.tree;

	if (tree->depth <= DEPTH_MAX && slice_run_goes_on(&slot->run, &pieces->events) &&
	    run_effect_fits(&slot->run.effect, tree, &pieces->all.process.functions))
		return prepare_apart(pieces, slot, &pieces->workers[worker]);
	return walk_in_turn(pieces, slot);
}

static int finish_piece(void *context, size_t number, size_t worker)
{
	struct pieces *pieces = context;
	struct slot *slot = &pieces->slots[number];

	return slot->is_apart ? walk_apart(pieces, slot, &pieces->workers[worker]) : 0;
}

static const struct ordered_work_steps steps = {
	.claim = claim, .prepare = load, .turn = take_turn, .finish = finish_piece,
};

static int begin_worker(struct worker *worker, struct pieces *pieces, const struct walk *walk, const struct walk_sink *sink,
			const struct walk_process *process)
{
	struct walk_part *part = &worker->part;
	int error = walk_part_begin(part, walk, sink, process);

	thread_events_begin(&worker->loader, &part->process.process, &part->process.functions, pieces->thread);
	if (!error && sink->thread_begin)
		error = part->sink.thread_begin(part->sink.context, pieces->thread);
	return error;
}

/* Handles the events after the last slice. */
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

/* Numbers the functions of the pieces in the pieces' order. */
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

/* The calling thread is the first worker. Returns 0 or a negative errno. */
static int work_all(struct pieces *pieces)
{
	struct ordered_work order;
	int error;

	ordered_work_begin(&order, &steps, pieces, pieces->count, 1);
	ordered_work_start(&order, pieces->count - 1);
	ordered_work_run(&order);
	error = ordered_work_end(&order);
	return error ? error : pieces->error;
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
	if (!error)
		error = work_all(pieces);
	if (!error)
		error = finish(pieces);
	if (!error)
		error = put_in_order(pieces, sink, &process->functions);
	error = walk_part_end(all, sink, &process->functions, error);
	for (size_t i = 0; i < begun; i++) {
		error = walk_part_end(&pieces->workers[i].part, sink, &process->functions, error);
		thread_events_end(&pieces->workers[i].loader);
	}
	return error;
}

bool walk_pieces_are_possible(const struct walk *walk, const struct walk_sink *sink, const struct walk_process *process)
{
	/* A filter's result depends on more than the open calls. */
	return sink->piece_begin && !walk->range && !walk->choice->libraries && !walk->choice->functions &&
	       !walk->choice->least_ns && !walk->choice->condition &&
	       !process->process.disabled_count;
}

int walk_pieces(struct walk *walk, const struct walk_sink *sink, struct walk_process *process,
		const struct thread_slices *thread, struct thread_events *events)
{
	/* A part costs more than a thread that reads ahead. */
	size_t count = walk_parts_count(sink, process, thread->file_words / 4);
	struct pieces *pieces;
	struct slot *slots;
	int error;

	if (count < 2 || !walk_pieces_are_possible(walk, sink, process))
		return -ENOTSUP;
	pieces = calloc(1, sizeof(*pieces) + count * sizeof(pieces->workers[0]));
	slots = calloc(count, sizeof(*slots));
	if (!pieces || !slots) {
		free(pieces);
		free(slots);
		return -ENOMEM;
	}
	pieces->thread = thread;
	pieces->count = count;
	pieces->slots = slots;
	pieces->slices_each = thread->slices / (count * PIECES_EACH) + 1;
	if (pieces->slices_each > SLICE_RUN_MAX)
		pieces->slices_each = SLICE_RUN_MAX;
	thread_walk_begin(&pieces->places, thread);
	pthread_mutex_init(&pieces->lock, NULL);
	error = walk_all(pieces, walk, sink, process);
	pthread_mutex_destroy(&pieces->lock);
	thread_events_end(&pieces->events);
	*events = pieces->events;
	events->process = &process->process;
	events->functions = &process->functions;
	for (size_t i = 0; i < count; i++)
		slice_run_free(&slots[i].run);
	free(slots);
	free(pieces->list);
	free(pieces);
	return error;
}
