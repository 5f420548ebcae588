/* SPDX-License-Identifier: MIT */
/*
 * parallel_output.h - formats the calls of a walk in several threads, and writes them in order.
 *
 * The walk notes an item for each call. Other text that the walk writes keeps its place between the
 * items. Other threads format batches of items; the walk's own thread formats one when it would have
 * to wait. The output is the same for any number of threads.
 *
 * Invariants
 *   I1  Data that @format reads, apart from the item, does not change until formatting_finish.
 *   I2  The walk's thread does all work except formatting.
 */
#ifndef SPOOR_TOOLS_BASE_PARALLEL_OUTPUT_H
#define SPOOR_TOOLS_BASE_PARALLEL_OUTPUT_H

#include "base/output.h"

#define FORMATTING_ITEMS 2048u		/* in a batch */

struct formatting {
	struct formatting_work *work;	/* null: no threads; the caller formats each item at once */
	char *items, *items_end;	/* the place of the next item, and the end of the room */
	size_t item_bytes;
};

/* Writes @count items to @out. @context: from formatting_begin. Any thread may call it. */
typedef void formatting_function(const void *context, const void *items, size_t count, struct output *out);

/*
 * formatting_begin - sends all output to @out through batches until formatting_end, if there is more
 * than one processor and enough memory.
 */
void formatting_begin(struct formatting *formatting, struct output *out, size_t item_bytes,
		      formatting_function *format, const void *context);

/* Writes all noted items, unless @out has an error. */
void formatting_finish(struct formatting *formatting);
void formatting_end(struct formatting *formatting);

static inline bool formatting_is_on(const struct formatting *formatting)
{
	return formatting->work != NULL;
}

void formatting_make_room(struct formatting *formatting);

/* Returns room for one more item, which the caller fills in at once. Only if formatting is active. */
static inline void *formatting_item(struct formatting *formatting, struct output *out)
{
	char *item;

	/* Text that was written since the last item comes first. */
	if (__builtin_expect(out->used || formatting->items == formatting->items_end, 0))
		formatting_make_room(formatting);
	item = formatting->items;
	formatting->items += formatting->item_bytes;
	return item;
}

#endif
