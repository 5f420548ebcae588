/* SPDX-License-Identifier: MIT */
/*
 * function_set.h - a set of functions, by dense index: those that occur in the events of a process.
 *
 * The set may hold more functions than occur, and never fewer: it holds all functions once an index without a bit, or a
 * call that the program reported by a function ID, was added.
 */
#ifndef SPOOR_FUNCTION_SET_H
#define SPOOR_FUNCTION_SET_H

#include <stdbool.h>
#include <stdint.h>

struct spoor_function_set {
	uint64_t *bits;		/* owned by the user of the set */
	uint32_t capacity;	/* number of indexes with a bit, a multiple of 64 */
	uint32_t end;		/* one past the greatest index that was added */
	bool has_all;
};

static inline void spoor_function_set_add(struct spoor_function_set *set, uint32_t index)
{
	if (index >= set->capacity) {
		set->has_all = true;
		return;
	}
	set->bits[index / 64] |= UINT64_C(1) << index % 64;
	if (index >= set->end)
		set->end = index + 1;
}

static inline bool spoor_function_set_has(const struct spoor_function_set *set, uint32_t index)
{
	return set->has_all || (index < set->end && set->bits[index / 64] >> index % 64 & 1);
}

#endif
