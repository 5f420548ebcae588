/* SPDX-License-Identifier: MIT */
/*
 * trigger.h - a trigger as it stands in the header of a pool: which functions take too
 * long, and what is kept when one does. The process writes it, whoever drains looks (trigger_watch.h).
 *
 * A function is named by its dense index, for the drainer knows no names.
 */
#ifndef SPOOR_TRIGGER_H
#define SPOOR_TRIGGER_H

#include "format/pool_format.h"

#define SPOOR_TRIGGER_RANGES_MAX 1024u

/* Dense indexes [begin, end). */
struct spoor_trigger_range {
	uint32_t begin, end;
};

struct spoor_trigger {
	uint64_t limit_ns;		/* 0: there is no trigger */
	uint32_t before_ms, after_ms;	/* what is kept around a call that takes too long */
	uint32_t most;			/* so many times */
	uint32_t range_count;		/* goes up as modules come */
	struct spoor_trigger_range ranges[SPOOR_TRIGGER_RANGES_MAX];
};

_Static_assert(SPOOR_POOL_TRIGGER_OFFSET + sizeof(struct spoor_trigger) <= SPOOR_POOL_BOARD_OFFSET, "it fits");

static inline struct spoor_trigger *spoor_pool_trigger(struct spoor_pool *pool)
{
	return (struct spoor_trigger *)((char *)pool + SPOOR_POOL_TRIGGER_OFFSET);
}

struct spoor_instance;

/* The process's side, under the registry's lock. */

/* Puts what the configuration says into a new pool, before anybody drains it. */
void spoor_trigger_begin(struct spoor_pool *pool);

/* Adds those functions of a module that the trigger names. Indexed, as for spoor_choice_functions. */
void spoor_trigger_module(struct spoor_instance *instance);

/* Takes note of what is traced of a module from now on. @chosen: bits by local ID. */
void spoor_trigger_chosen(const struct spoor_instance *instance, const uint64_t *chosen);

/* A trigger whose name no function has, or none that was traced, is worth a message, once: when a
 * process that began with it ends in order, and when one has been attached to. */
void spoor_trigger_check(void);

#endif
