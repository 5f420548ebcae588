/* SPDX-License-Identifier: MIT */
/* watched_values.h - evaluates the trigger's condition on the values of a call. */
#ifndef SPOOR_WATCHED_VALUES_H
#define SPOOR_WATCHED_VALUES_H

#include "format/trigger_condition.h"
#include "format/value_packing.h"

struct watched_values {
	struct spoor_trigger_condition condition;	/* copied from the pool, and checked */
	struct spoor_layout_index layouts;
};

/* Copies the condition of the pool. Returns whether there is a valid one. */
bool watched_values_begin(struct watched_values *values, struct spoor_pool *pool);

/* Copies new bindings. */
void watched_values_renew(struct watched_values *values, struct spoor_pool *pool);

/* Returns which comparisons hold for a record, a bit each. @words: its payload */
uint32_t watched_values_compare(struct watched_values *values, const uint64_t *words, uint32_t count);

/* Returns whether the condition holds if these comparisons do. */
bool watched_values_hold(const struct watched_values *values, uint32_t comparisons);

#endif
