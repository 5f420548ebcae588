/* SPDX-License-Identifier: MIT */
/* drain_state.h - the state of a drainer, private to libspoor/drain/. */
#ifndef SPOOR_DRAIN_STATE_H
#define SPOOR_DRAIN_STATE_H

#include "drain/drain.h"
#include "drain/trigger_watch.h"
#include "format/packing.h"

#define SPOOR_POSTPONED_NS 20000000	/* until a slice with an empty slot is looked at again */

struct spoor_drain {
	struct spoor_drain_options options;	/* `fd`: as options.file returned it last */
	struct spoor_pool *pool;	/* as in the options */
	uint32_t slice_count;		/* checked once: a foreign process may change its own */
	bool unpacked;
	bool counter_is_clock;
	uint32_t flush_attempts;	/* failed writes that are allowed; 0: any number */

	/* The file. */
	uint64_t file_bytes;		/* whole blocks so far */
	uint64_t events;		/* written so far */
	int error;			/* the first one of writing; 0: none */

	/* The run. */
	uint32_t extent;		/* of the current or last run */
	uint32_t postponed;		/* slices with an empty slot; read by the waiting thread */
	bool stuck;			/* the last write failed and its slices are full again; wait.c reads it */
	uint32_t answered;		/* pool->asked, as it was when it was last answered */
	uint32_t posted;		/* pool->posted, as it was when it was last read */
	uint32_t *slices;		/* taken in this run, the earliest first */
	uint8_t *ages;			/* by slice: how long it was postponed, in SPOOR_POSTPONED_NS */
	int64_t aged_ns;		/* when they grew last */
	bool ages_due;			/* in this run */
	uint16_t *written;		/* by slice: words in the file while it was still in use */
	uint32_t *written_since;	/* by slice: its info's counter then */

	/* The memory of free slices (spare_slices.h). */
	uint32_t spare;			/* slices that could give memory back; wait.c reads it */
	uint32_t spare_least;		/* ... at least, since @spare_since_ns */
	int64_t spare_since_ns;

	/* The batch (batch.h). */
	uint8_t *buffer;
	size_t buffer_used;
	uint32_t *batch;		/* slices in the buffer */
	uint32_t batch_count;
	uint64_t batch_events;
	uint32_t failures;		/* of the current batch, in a row */
	uint64_t *words;		/* of one slice */
	struct spoor_packing *packing;	/* not on the stack: threads that end a process may have little */
	struct spoor_value_model *values;	/* of blocks with values; null: no function was captured so far */
	struct spoor_layout_index *layouts;
	size_t values_bytes;		/* size of both, which `values` begins */

	/* The trigger. */
	struct spoor_watch *watch;	/* null: no call is watched */
	uint64_t keep_from;		/* counter value; slices of a ring from this time on are written, */
	int64_t keep_until_ns;		/* ... up to this time; 0: no recent call was too long */
};

#endif
