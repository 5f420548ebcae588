/* SPDX-License-Identifier: MIT */
/* sled_index.h - a module's sled map, decoded: the sleds of each function. */
#ifndef SPOOR_SLED_INDEX_H
#define SPOOR_SLED_INDEX_H

#include <stdbool.h>

#include "elf/function_order.h"
#include "event/hook_path.h"
#include "format/trace_format.h"

/*
 * The sleds of one module. The bits are by local ID. The struct itself is never freed, so that hooks can read
 * `awake` at any time.
 */
struct spoor_sleds {
	struct spoor_functions functions;
	struct spoor_awake awake;	/* base, and which functions are patched */
	uint32_t enabled;		/* how many functions are patched, as of the last change */

	uint32_t *first_sled;		/* count + 1: function f has [f], [f + 1) of ... */
	uint32_t *sleds;		/* ... these, as below */
	uint64_t *prepared;		/* functions whose sleds have their other bytes */
	uint64_t *switchable;		/* those with a sled that is not left alone, or with hooks that count */
	uint64_t *wanted;		/* what is chosen: the caller's */
	uint64_t *framed;		/* functions that log their frames: frame_marks.h */
	uintptr_t text_low, text_high;	/* all sleds lie within */
	size_t memory_bytes;
	bool in_order;			/* the function table is, by address, and the sleds, each of which is there once */
	bool text_open;			/* its text stays writable: entry sleds may go back to sleep by themselves */
	struct spoor_left_alone left_alone;
};

/* Modules have positions below it. */
#define SPOOR_MODULES_MAX 65536u

/* The sleds of the module at a position; null while it has no index. Under the registry's lock. */
struct spoor_sleds *spoor_sleds_at(uint32_t position);

/* The same, with or without an index; null where there is no memory for the first call. The caller sets awake.base. */
struct spoor_sleds *spoor_sleds_make(uint32_t position);

/*
 * spoor_sleds_index - makes the index of the module at a position: all functions dormant and none wanted.
 *
 * Return: 0 (also where it is there already), or -ENOMEM.
 *
 * Context: under the registry's lock, with the module mapped.
 */
int spoor_sleds_index(uint32_t position, const struct spoor_functions *functions);
void spoor_sleds_forget(uint32_t position);

/* The same for a struct that has its functions and base, and no index. */
int spoor_sled_index_build(struct spoor_sleds *sleds);
void spoor_sled_index_free(struct spoor_sleds *sleds);

/*
 * A sled in the index: its distance from the module's first one, which is even, in
 * units of two, and its kind in the low two bits.
 */
#define SPOOR_SLED_WORD(distance, kind) ((uint32_t)(distance) << 1 | (kind))
#define SPOOR_SLED_WORD_KIND(word) ((word) & 3)
#define SPOOR_SLED_WORD_DISTANCE(word) ((uintptr_t)((word) >> 2) * 2)
#define SPOOR_SLED_WORD_REACH (1ull << 31)
#define SPOOR_SLED_ALONE 3	/* for a kind: never touched */

static inline uint8_t *spoor_sled_at(uintptr_t text_low, uint32_t word)
{
	return (uint8_t *)(text_low + SPOOR_SLED_WORD_DISTANCE(word));
}

static inline size_t spoor_sleds_words(const struct spoor_sleds *sleds)
{
	return ((size_t)sleds->functions.count + 63) / 64;
}

static inline bool spoor_sleds_bit(const uint64_t *bits, uint32_t local)
{
	return bits[local / 64] >> (local % 64) & 1;
}

#endif
