/* SPDX-License-Identifier: MIT */
/* parallel_output.c - formats batches of items in several threads, and writes them in order. */
#include "base/parallel_output.h"

#include <errno.h>
#include <stdlib.h>

#include "base/jobs.h"
#include "base/ordered_work.h"

#define BATCHES 8u		/* one of them is being filled */
#define WORKERS_MAX 4u
#define FORMATTED_AT_ONCE 256u	/* items */
#define TEXTS_MAX 64u		/* in a batch */
#define TEXT_BYTES_MAX ((size_t)4 * OUTPUT_BYTES)

struct bytes {
	char *bytes;
	size_t used, room;
	bool failed;		/* memory ran out, and the result is incomplete */
};

/* Text that was written between two items. */
struct text {
	size_t begin;		/* offset in the batch's texts */
	size_t items;		/* items of the batch before the text */
};

struct batch {
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

	struct ordered_work order;	/* batch i is in slot i */
	struct batch batches[BATCHES];
	size_t filling;			/* the batch that receives items */
	size_t waiting;			/* batches that are full and not written yet */
	bool began;			/* all threads were started */
	char *items;			/* of all batches */
};

/* Returns whether there is room for @count more bytes. */
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

/* Formats items into the room after the result. Text that does not fit the output's buffer is rare, and is copied. */
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

static int format_slot(void *context, size_t slot, size_t worker)
{
	struct formatting_work *work = context;

	(void)worker;
	format_batch(work, &work->batches[slot]);
	return 0;
}

static const struct ordered_work_steps formatting_steps = { .prepare = format_slot };

static void begin_workers(struct formatting_work *work)
{
	size_t count = jobs_count() - 1;

	work->began = true;
	ordered_work_start(&work->order, count < WORKERS_MAX ? count : WORKERS_MAX);
}

static struct batch *filling(struct formatting_work *work)
{
	return &work->batches[work->filling];
}

static void begin_filling(struct formatting_work *work)
{
	struct batch *batch = filling(work);

	batch->text_count = batch->texts.used = batch->result.used = 0;
	batch->texts.failed = batch->result.failed = false;
	work->front->items = batch->items;
	work->front->items_end = batch->items + FORMATTING_ITEMS * work->front->item_bytes;
}

/* Writes the oldest batch. While another thread formats it, this thread formats other batches. */
static void write_oldest(struct formatting_work *work)
{
	long slot = ordered_work_take(&work->order, true);
	struct batch *batch = &work->batches[slot];

	if (batch->texts.failed || batch->result.failed)
		work->out->error = work->out->error ? work->out->error : -ENOMEM;
	else
		output_write_through(work->out, batch->result.bytes, batch->result.used);
	ordered_work_release(&work->order, (size_t)slot);
	work->waiting--;
}

static size_t count_items(const struct formatting_work *work, const struct batch *batch)
{
	return (size_t)(work->front->items - batch->items) / work->front->item_bytes;
}

/* Hands the filled batch over. @to_others: it is worth waking another thread. */
static void close_batch(struct formatting_work *work, bool to_others)
{
	struct batch *batch = filling(work);

	batch->item_count = count_items(work, batch);
	if (!batch->item_count && !batch->text_count)
		return;
	if (to_others && !work->began)
		begin_workers(work);
	ordered_work_add(&work->order, work->filling, to_others);
	if (++work->waiting == BATCHES)
		write_oldest(work);
	work->filling = (size_t)ordered_work_room(&work->order);
	begin_filling(work);
}

/* Places text that the walk writes after the items so far. */
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
	ordered_work_begin(&work->order, &formatting_steps, work, BATCHES, 1);
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
	while (work->waiting)
		write_oldest(work);
}

void formatting_end(struct formatting *formatting)
{
	struct formatting_work *work = formatting->work;

	if (!work)
		return;
	formatting_finish(formatting);
	ordered_work_end(&work->order);
	for (size_t i = 0; i < BATCHES; i++) {
		free(work->batches[i].texts.bytes);
		free(work->batches[i].result.bytes);
	}
	work->out->take = NULL;
	free(work->items);
	free(work);
	formatting->work = NULL;
}
