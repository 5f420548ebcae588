/* SPDX-License-Identifier: MIT */
/*
 * trigger_format.h - a trigger in the header of a pool: which functions must not take too long, and how
 * much of the trace is kept around a call that does.
 *
 * The traced process writes it, and the drainer reads it. A function is named by its dense index, since
 * the drainer knows no names.
 */
#ifndef SPOOR_TRIGGER_FORMAT_H
#define SPOOR_TRIGGER_FORMAT_H

#include "format/pool_format.h"

#define SPOOR_TRIGGER_RANGES_MAX 1024u

/* Dense indexes [begin, end). */
struct spoor_trigger_range {
	uint32_t begin, end;
};

struct spoor_trigger {
	uint64_t limit_ns;		/* 0: there is no trigger */
	uint32_t before_ms, after_ms;	/* time to keep around a call that takes too long */
	uint32_t most;			/* maximum number of such calls to report */
	uint32_t range_count;		/* grows when modules are loaded */
	struct spoor_trigger_range ranges[SPOOR_TRIGGER_RANGES_MAX];
};

_Static_assert(SPOOR_POOL_TRIGGER_OFFSET + sizeof(struct spoor_trigger) <= SPOOR_POOL_LAYOUTS_OFFSET, "must fit");

static inline struct spoor_trigger *spoor_pool_trigger(struct spoor_pool *pool)
{
	return (struct spoor_trigger *)((char *)pool + SPOOR_POOL_TRIGGER_OFFSET);
}

#endif
