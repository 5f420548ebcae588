/* SPDX-License-Identifier: MIT */
/* sled_index.h - the index of a module's sleds by function. */
#ifndef SPOOR_SLED_INDEX_H
#define SPOOR_SLED_INDEX_H

#include <stdbool.h>

#include "elf/function_order.h"
#include "event/hook_path.h"
#include "format/trace_format.h"

/*
 * The sleds of one module. Bits are indexed by local ID. The struct itself is never freed, so that hooks can
 * read `awake` at any time.
 */
struct spoor_sleds {
	struct spoor_functions functions;
	struct spoor_awake awake;	/* first dense index, and which functions are patched */
	uint32_t enabled;		/* number of patched functions after the last change, */
	uint32_t counted;		/* ... and without those in `aliased` */

	uint32_t *first_sled;		/* count + 1 elements: function f has elements [f], [f + 1) of ... */
	uint32_t *sleds;		/* ... this array of words, see below */
	uint64_t *prepared;		/* functions whose sleds are complete except for their heads */
	uint64_t *switchable;		/* functions with a usable sled, or with hooks */
	uint64_t *wanted;		/* functions that the caller has chosen */
	uint64_t *framed;		/* functions that log their frames: frame_marks.h */
	uintptr_t text_low, text_high;	/* lowest and highest sled */
	size_t memory_bytes;
	bool in_order;			/* functions are sorted by address, and each sled is listed once */
	const uint32_t *indexes;	/* by local ID: dense indexes; null: they follow awake.base */
	const uint64_t *aliased;	/* functions with the index of another module's function; null: none */
	bool text_open;			/* text stays writable, since entry sleds may disable themselves */
	struct spoor_skipped_sleds skipped_sleds;	/* skipped sleds */
};

/* The dense index that the events of a function carry. */
static inline uint32_t spoor_sleds_index_of(const struct spoor_sleds *sleds, uint32_t local)
{
	return sleds->indexes ? sleds->indexes[local] : sleds->awake.base + local;
}

/* Number of positions of modules. */
#define SPOOR_MODULES_MAX 65536u

/* Returns the sleds of the module at a position; null while it has no index. Under the registry's lock. */
struct spoor_sleds *spoor_sleds_at(uint32_t position);

/* The same, with or without an index; null without memory in the first call. The caller sets awake.base. */
struct spoor_sleds *spoor_sleds_make(uint32_t position);

/*
 * spoor_sleds_index - builds the index of the module at a position: all functions dormant, none wanted.
 *
 * Return: 0, also if the index exists; or -ENOMEM.
 *
 * Context: under the registry's lock, with the module mapped.
 */
int spoor_sleds_index(uint32_t position, const struct spoor_functions *functions);
void spoor_sleds_forget(uint32_t position);

/* The same for a struct whose functions and base are set. */
int spoor_sled_index_build(struct spoor_sleds *sleds);
void spoor_sled_index_free(struct spoor_sleds *sleds);

/*
 * A word of the index: the sled's distance in bytes from the module's first sled, which is even, halved;
 * and the kind in the low two bits.
 */
#define SPOOR_SLED_WORD(distance, kind) ((uint32_t)(distance) << 1 | (kind))
#define SPOOR_SLED_WORD_KIND(word) ((word) & 3)
#define SPOOR_SLED_WORD_DISTANCE(word) ((uintptr_t)((word) >> 2) * 2)
#define SPOOR_SLED_WORD_REACH (1ull << 31)
#define SPOOR_SLED_ALONE 3	/* instead of a kind: the sled is never patched */

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
