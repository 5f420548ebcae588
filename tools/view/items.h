/* SPDX-License-Identifier: MIT */
/*
 * items.h - what a timeline shows, kept in few bytes: calls and marks, and runs of
 * them that were too short to be kept apart.
 *
 * An item stands in one lane of one thread: all that is at one depth. In a lane items
 * follow each other; how those of several lanes are mixed is of no account, for each says
 * all that is known of it.
 *
 * Invariants
 *   I1  a run's entries have as many calls, and as much time, as the calls in its place had.
 *   I2  a store takes about six bytes a call, and no pointer to one.
 */
#ifndef SPOOR_TOOLS_VIEW_ITEMS_H
#define SPOOR_TOOLS_VIEW_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that grow. What runs out of memory says so and ends the program. */
struct view_bytes {
	uint8_t *bytes;
	size_t count, capacity;
};

void view_bytes_put(struct view_bytes *to, const void *bytes, size_t count);
void view_bytes_number(struct view_bytes *to, uint64_t number);	/* 7 bits a byte, the low ones first */
void view_bytes_text(struct view_bytes *to, const char *text);	/* its length, then itself */
void view_no_memory(void) __attribute__((noreturn));

/* Small numbers for small differences of both signs. */
static inline uint64_t view_zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)-(int64_t)(difference >> 63);
}
static inline uint64_t view_unzigzag(uint64_t number)
{
	return number >> 1 ^ (uint64_t)-(int64_t)(number & 1);
}

/* An item's flags; the lowest three bits are its enum call_end. */
#define VIEW_END_MASK 7u
#define VIEW_ROOT 8u		/* begun before it could be recorded */
#define VIEW_RESUMED 16u	/* no call of its own: it goes on, or is a root */
#define VIEW_UNRELIABLE 32u	/* events are missing in it */
#define VIEW_PAYLOAD 64u	/* `payload` and `string` are there */
#define VIEW_EARLY 128u		/* a root that is one because of the time that was chosen */
#define VIEW_RUN 256u		/* several calls in the place of one; a page has no such flag */

struct view_entry {
	uint32_t node;			/* which path, or mark */
	uint8_t least, most;		/* durations, as view_log has them */
	uint64_t calls, total_ns;
};

struct view_item {
	uint64_t begin_ns, end_ns;	/* CLOCK_MONOTONIC */
	uint32_t flags, lane;
	uint32_t entry_count;		/* 1 where it is no run */
	struct view_entry *entries;
	uint64_t payload[2], string;
};

/* A duration in a byte: a quarter of an octave a step. Never less for a longer one. */
static inline uint8_t view_log(uint64_t ns)
{
	unsigned int octave = ns ? 63u - (unsigned int)__builtin_clzll(ns) : 0;
	unsigned int step = octave >= 2 ? 4 * octave + (unsigned int)(ns >> (octave - 2) & 3) : (unsigned int)ns;

	return (uint8_t)(step < 255 ? step : 255);
}

struct view_block;

struct view_store {
	struct view_block *first, *last;
	size_t bytes;			/* taken by the blocks */
	uint64_t items;
	uint64_t begin_ns;		/* of the item before */
	uint32_t node;			/* the item before's last one */
};

/* Items after this one do not lean on those before. */
void view_store_begin_thread(struct view_store *store);
void view_store_add(struct view_store *store, const struct view_item *item);
void view_store_free(struct view_store *store);

/* Reads items in the order in which they were added. */
struct view_reader {
	struct view_store *store;
	const struct view_block *block;
	size_t at;
	bool consumes;			/* blocks are given back when they have been read */
	uint64_t begin_ns;
	uint32_t node;
	uint32_t capacity;		/* of the item's entries */
	struct view_item item;
};

void view_reader_begin(struct view_reader *reader, struct view_store *store, bool consumes);
void view_reader_begin_thread(struct view_reader *reader);
/* The next one, which stays until the one after it; there must be one. `lane` is not set. */
struct view_item *view_reader_next(struct view_reader *reader);
void view_reader_end(struct view_reader *reader);

#endif
