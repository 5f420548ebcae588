/* SPDX-License-Identifier: MIT */
/*
 * parallel_output.h - what is written of calls, made by several threads and written in order.
 *
 * A walk notes an item for each call, and what else it writes to the output stays where it is
 * between them. Items become bytes in batches: other threads make those of the batches before,
 * and the walk's own thread does when it would have to wait. The bytes are the same with any
 * number of threads.
 *
 * Invariants
 *   I1  what @format reads beside an item stays as it is until formatting_finish.
 *   I2  but for the items' becoming bytes, all is done in the thread of the walk.
 */
#ifndef SPOOR_TOOLS_FORMATTING_H
#define SPOOR_TOOLS_FORMATTING_H

#include "base/output.h"

#define FORMATTING_ITEMS 2048u		/* of a batch */

struct formatting {
	struct formatting_work *work;	/* null: nothing waits, items are formatted by whoever has them */
	char *items, *items_end;	/* where the next one goes, and where there is no room */
	size_t item_bytes;
};

/* Writes @count items to @out. @context: formatting_begin's. Any thread. */
typedef void formatting_function(const void *context, const void *items, size_t count, struct output *out);

/*
 * formatting_begin - where there is more than one processor and memory for it: what is written to @out goes
 * through batches until formatting_end.
 */
void formatting_begin(struct formatting *formatting, struct output *out, size_t item_bytes,
		      formatting_function *format, const void *context);

/* All that was noted is written, unless @out has an error. */
void formatting_finish(struct formatting *formatting);
void formatting_end(struct formatting *formatting);

static inline bool formatting_is_on(const struct formatting *formatting)
{
	return formatting->work != NULL;
}

void formatting_make_room(struct formatting *formatting);

/* Room for one more item, which is to be filled in at once. Only where it is on. */
static inline void *formatting_item(struct formatting *formatting, struct output *out)
{
	char *item;

	/* What was written since the last one comes first. */
	if (__builtin_expect(out->used || formatting->items == formatting->items_end, 0))
		formatting_make_room(formatting);
	item = formatting->items;
	formatting->items += formatting->item_bytes;
	return item;
}

#endif
