/* SPDX-License-Identifier: MIT */
/* parallel_output.c - batches of items on their way through threads. */
#include "base/parallel_output.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/jobs.h"

#define BATCHES 8u		/* one of them is being filled */
#define WORKERS_MAX 4u
#define FORMATTED_AT_ONCE 256u	/* items */
#define TEXTS_MAX 64u		/* of a batch */
#define TEXT_BYTES_MAX ((size_t)4 * OUTPUT_BYTES)

enum batch_state {
	BATCH_EMPTY,	/* the walk's */
	BATCH_FULL,
	BATCH_TAKEN,	/* whoever formats it */
	BATCH_DONE,	/* the walk's */
};

struct bytes {
	char *bytes;
	size_t used, room;
	bool failed;		/* there was no memory for all of them */
};

/* What was written between two items. */
struct text {
	size_t begin;		/* in the batch's texts */
	size_t items;		/* of the batch that come before */
};

struct batch {
	enum batch_state state;
	char *items;
	size_t item_count;
	struct bytes texts;
	struct text places[TEXTS_MAX];
	size_t text_count;
	struct bytes result;
};

struct formatting_work {
	struct formatting *front;
	struct output *out;
	formatting_function *format;
	const void *context;

	pthread_mutex_t lock;		/* of what follows */
	pthread_cond_t filled, done;
	struct batch batches[BATCHES];	/* their states alone */
	size_t first, count;		/* which are full, taken or done; behind them comes the one that is filled */
	bool ended;

	pthread_t workers[WORKERS_MAX];
	size_t worker_count;
	bool began;			/* as many as there can be */
	char *items;			/* all batches' */
};

/* Return: whether there is room for so many more. */
static bool make_room(struct bytes *to, size_t count)
{
	size_t room = to->room ? to->room : (size_t)OUTPUT_BYTES;
	char *larger;

	while (room - to->used < count)
		room *= 2;
	if (room == to->room)
		return true;
	larger = realloc(to->bytes, room);
	to->failed |= !larger;
	if (!larger)
		return false;
	to->bytes = larger;
	to->room = room;
	return true;
}

static void add(struct bytes *to, const char *bytes, size_t count)
{
	if (!make_room(to, count))
		return;
	memcpy(to->bytes + to->used, bytes, count);
	to->used += count;
}

static void take_result(void *context, const char *bytes, size_t count)
{
	add(context, bytes, count);
}

/* Into the room behind the result, as far as the output's buffer goes: more than that is rare, and copied. */
static void format_items(const struct formatting_work *work, const char *items, size_t count, struct bytes *result)
{
	size_t bytes = work->front->item_bytes;

	for (size_t some; count; count -= some, items += some * bytes) {
		struct bytes spilled = { .bytes = NULL };
		struct output out = { .fd = -1, .take = take_result, .take_context = &spilled };

		some = count < FORMATTED_AT_ONCE ? count : FORMATTED_AT_ONCE;
		if (!make_room(result, OUTPUT_BYTES))
			return;
		out.buffer = result->bytes + result->used;
		work->format(work->context, items, some, &out);
		if (spilled.bytes || spilled.failed) {
			output_flush(&out);
			add(result, spilled.bytes, spilled.used);
			result->failed |= spilled.failed;
			free(spilled.bytes);
		} else {
			result->used += out.used;
		}
	}
}

static void format_batch(const struct formatting_work *work, struct batch *batch)
{
	struct bytes *result = &batch->result;
	size_t bytes = work->front->item_bytes, at = 0;

	for (size_t i = 0; i < batch->text_count; i++) {
		const struct text *text = &batch->places[i];
		size_t end = i + 1 < batch->text_count ? text[1].begin : batch->texts.used;

		format_items(work, batch->items + at * bytes, text->items - at, result);
		at = text->items;
		add(result, batch->texts.bytes + text->begin, end - text->begin);
	}
	format_items(work, batch->items + at * bytes, batch->item_count - at, result);
}

/* Under the lock, which is let go meanwhile. */
static void format_unlocked(struct formatting_work *work, struct batch *batch)
{
	batch->state = BATCH_TAKEN;
	pthread_mutex_unlock(&work->lock);
	format_batch(work, batch);
	pthread_mutex_lock(&work->lock);
	batch->state = BATCH_DONE;
}

/* The oldest one that nobody has taken. */
static struct batch *find_full(struct formatting_work *work)
{
	for (size_t i = 0; i < work->count; i++) {
		struct batch *batch = &work->batches[(work->first + i) % BATCHES];

		if (batch->state == BATCH_FULL)
			return batch;
	}
	return NULL;
}

static void *work_on(void *context)
{
	struct formatting_work *work = context;

	pthread_mutex_lock(&work->lock);
	while (!work->ended) {
		struct batch *batch = find_full(work);

		if (batch) {
			format_unlocked(work, batch);
			pthread_cond_signal(&work->done);
		} else {
			pthread_cond_wait(&work->filled, &work->lock);
		}
	}
	pthread_mutex_unlock(&work->lock);
	return NULL;
}

static void begin_workers(struct formatting_work *work)
{
	size_t count = jobs_count() - 1;

	work->began = true;
	for (; work->worker_count < count && work->worker_count < WORKERS_MAX; work->worker_count++)
		if (jobs_thread_begin(&work->workers[work->worker_count], work_on, work))
			break;
}

static struct batch *filling(struct formatting_work *work)
{
	return &work->batches[(work->first + work->count) % BATCHES];
}

static void begin_filling(struct formatting_work *work)
{
	struct batch *batch = filling(work);

	batch->text_count = batch->texts.used = batch->result.used = 0;
	batch->texts.failed = batch->result.failed = false;
	work->front->items = batch->items;
	work->front->items_end = batch->items + FORMATTING_ITEMS * work->front->item_bytes;
}

/* Writes the oldest batch. Until it is done, whatever nobody has taken is formatted here. */
static void write_oldest(struct formatting_work *work)
{
	struct batch *batch = &work->batches[work->first];

	pthread_mutex_lock(&work->lock);
	while (batch->state != BATCH_DONE) {
		struct batch *full = find_full(work);

		if (full)
			format_unlocked(work, full);
		else
			pthread_cond_wait(&work->done, &work->lock);
	}
	batch->state = BATCH_EMPTY;
	work->first = (work->first + 1) % BATCHES;
	work->count--;
	pthread_mutex_unlock(&work->lock);
	if (batch->texts.failed || batch->result.failed)
		work->out->error = work->out->error ? work->out->error : -ENOMEM;
	else
		output_write_through(work->out, batch->result.bytes, batch->result.used);
}

static size_t count_items(const struct formatting_work *work, const struct batch *batch)
{
	return (size_t)(work->front->items - batch->items) / work->front->item_bytes;
}

/* Hands the batch at hand over. @to_others: it is worth that. */
static void close_batch(struct formatting_work *work, bool to_others)
{
	struct batch *batch = filling(work);

	batch->item_count = count_items(work, batch);
	if (!batch->item_count && !batch->text_count)
		return;
	if (to_others && !work->began)
		begin_workers(work);
	pthread_mutex_lock(&work->lock);
	batch->state = BATCH_FULL;
	work->count++;
	if (to_others)
		pthread_cond_signal(&work->filled);
	pthread_mutex_unlock(&work->lock);
	if (work->count == BATCHES)
		write_oldest(work);
	begin_filling(work);
}

/* What the walk writes comes behind the items so far. */
static void take_text(void *context, const char *bytes, size_t count)
{
	struct formatting_work *work = context;
	struct batch *batch = filling(work);
	size_t items = count_items(work, batch);

	if ((batch->text_count == TEXTS_MAX && batch->places[TEXTS_MAX - 1].items != items) ||
	    batch->texts.used > TEXT_BYTES_MAX) {
		close_batch(work, true);
		batch = filling(work);
		items = 0;
	}
	if (!batch->text_count || batch->places[batch->text_count - 1].items != items)
		batch->places[batch->text_count++] = (struct text){ batch->texts.used, items };
	add(&batch->texts, bytes, count);
}

void formatting_make_room(struct formatting *formatting)
{
	output_flush(formatting->work->out);
	if (formatting->items == formatting->items_end)
		close_batch(formatting->work, true);
}

void formatting_begin(struct formatting *formatting, struct output *out, size_t item_bytes,
		      formatting_function *format, const void *context)
{
	struct formatting_work *work;

	*formatting = (struct formatting){ .item_bytes = item_bytes };
	work = jobs_count() > 1 ? calloc(1, sizeof(*work)) : NULL;
	if (!work)
		return;
	work->items = malloc(BATCHES * FORMATTING_ITEMS * item_bytes);
	if (!work->items) {
		free(work);
		return;
	}
	work->front = formatting;
	work->out = out;
	work->format = format;
	work->context = context;
	pthread_mutex_init(&work->lock, NULL);
	pthread_cond_init(&work->filled, NULL);
	pthread_cond_init(&work->done, NULL);
	for (size_t i = 0; i < BATCHES; i++)
		work->batches[i].items = work->items + i * FORMATTING_ITEMS * item_bytes;
	begin_filling(work);
	output_flush(out);
	out->take = take_text;
	out->take_context = work;
	formatting->work = work;
}

void formatting_finish(struct formatting *formatting)
{
	struct formatting_work *work = formatting->work;

	if (!work)
		return;
	output_flush(work->out);
	close_batch(work, false);
	while (work->count)
		write_oldest(work);
}

void formatting_end(struct formatting *formatting)
{
	struct formatting_work *work = formatting->work;

	if (!work)
		return;
	formatting_finish(formatting);
	pthread_mutex_lock(&work->lock);
	work->ended = true;
	pthread_cond_broadcast(&work->filled);
	pthread_mutex_unlock(&work->lock);
	for (size_t i = 0; i < work->worker_count; i++)
		pthread_join(work->workers[i], NULL);
	for (size_t i = 0; i < BATCHES; i++) {
		free(work->batches[i].texts.bytes);
		free(work->batches[i].result.bytes);
	}
	pthread_cond_destroy(&work->done);
	pthread_cond_destroy(&work->filled);
	pthread_mutex_destroy(&work->lock);
	work->out->take = NULL;
	free(work->items);
	free(work);
	formatting->work = NULL;
}
