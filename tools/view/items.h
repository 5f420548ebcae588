/* SPDX-License-Identifier: MIT */
/*
 * items.h - stores the items of a timeline in few bytes: calls, marks, and runs. A run stands for
 * several items that were too short to be stored separately.
 *
 * An item is in one lane of one thread; a lane is a depth of the call stack. The items of a lane are in
 * the order of time. Items of different lanes may be mixed in any order, because each item is complete
 * in itself.
 *
 * Invariants
 *   I1  The entries of a run have as many calls, and as much time, as the calls that it stands for.
 *   I2  A store takes about six bytes for a call, and no pointer.
 */
#ifndef SPOOR_TOOLS_VIEW_ITEMS_H
#define SPOOR_TOOLS_VIEW_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing array of bytes. Functions that run out of memory print a message and exit. */
struct view_bytes {
	uint8_t *bytes;
	size_t count, capacity;
};

void view_bytes_put(struct view_bytes *to, const void *bytes, size_t count);
void view_bytes_number(struct view_bytes *to, uint64_t number);	/* LEB128: 7 bits a byte, the low ones first */
void view_bytes_text(struct view_bytes *to, const char *text);	/* its length, then its bytes */
void view_no_memory(void) __attribute__((noreturn));

/* Maps small differences of both signs to small numbers. */
static inline uint64_t view_zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)-(int64_t)(difference >> 63);
}
static inline uint64_t view_unzigzag(uint64_t number)
{
	return number >> 1 ^ (uint64_t)-(int64_t)(number & 1);
}

/* Flags of an item. The lowest three bits are its enum call_end. */
#define VIEW_END_MASK 7u
#define VIEW_ROOT 8u		/* the call was open when recording began */
#define VIEW_RESUMED 16u	/* not counted as a call: the rest of a call after a switch of stacks, or a root */
#define VIEW_UNRELIABLE 32u	/* events are missing in this call */
#define VIEW_PAYLOAD 64u	/* `payload` and `string` are set */
#define VIEW_EARLY 128u		/* a root only because the chosen time begins after its entry */
#define VIEW_TEXTS 512u		/* `string` is the place of the call's values (call_texts.h); VIEW_PAYLOAD in a page */
#define VIEW_RUN 256u		/* a run of several merged items; not in the flags of a page */

struct view_entry {
	uint32_t node;			/* the path, or the mark */
	uint8_t least, most;		/* shortest and longest duration, as view_log */
	uint64_t calls, total_ns;
};

struct view_item {
	uint64_t begin_ns, end_ns;	/* CLOCK_MONOTONIC */
	uint32_t flags, lane;
	uint32_t entry_count;		/* 1 if it is not a run */
	struct view_entry *entries;
	uint64_t payload[2], string;
};

/* Returns a duration as a byte, in steps of a quarter octave. Monotonic. */
static inline uint8_t view_log(uint64_t ns)
{
	unsigned int octave = ns ? 63u - (unsigned int)__builtin_clzll(ns) : 0;
	unsigned int step = octave >= 2 ? 4 * octave + (unsigned int)(ns >> (octave - 2) & 3) : (unsigned int)ns;

	return (uint8_t)(step < 255 ? step : 255);
}

/* Returns the shortest, or the longest, duration that a byte of view_log stands for. */
static inline uint64_t view_log_least(unsigned int step)
{
	return step < 8 ? (step < 4 ? step : 4) : (uint64_t)(4 + step % 4) << (step / 4 - 2);
}
static inline uint64_t view_log_most(unsigned int step)
{
	return step < 4 ? step : step < 248 ? view_log_least(step + 1) : UINT64_C(1) << 62;
}

struct view_block;

struct view_store {
	struct view_block *first, *last;
	size_t bytes;			/* taken by the blocks */
	uint64_t items;
	uint64_t begin_ns;		/* of the last item */
	uint32_t node;			/* the last node of the last item */
};

/* Starts the differences from 0, so that a reader can start here. */
void view_store_begin_thread(struct view_store *store);
void view_store_add(struct view_store *store, const struct view_item *item);
void view_store_free(struct view_store *store);

/* Reads items in the order in which they were added. */
struct view_reader {
	struct view_store *store;
	const struct view_block *block;
	size_t at;
	bool consumes;			/* frees each block after reading it */
	uint64_t begin_ns;
	uint32_t node;
	uint32_t capacity;		/* of item.entries */
	struct view_item item;
};

void view_reader_begin(struct view_reader *reader, struct view_store *store, bool consumes);
void view_reader_begin_thread(struct view_reader *reader);
/* Returns the next item, valid until the next call. There must be one. @lane is not set. */
struct view_item *view_reader_next(struct view_reader *reader);
void view_reader_end(struct view_reader *reader);

#endif
