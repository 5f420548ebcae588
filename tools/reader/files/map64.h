/* SPDX-License-Identifier: MIT */
/* map64.h - maps 64-bit keys to 32-bit values other than 0. */
#ifndef SPOOR_READER_MAP64_H
#define SPOOR_READER_MAP64_H

#include <stddef.h>
#include <stdint.h>

struct map64_entry {
	uint64_t key;
	uint32_t value;
};

struct map64 {
	struct map64_entry *entries;
	size_t count, capacity;
};

/* Returns the place of the value of @key. A new key has the value 0, which the caller must set. Null if memory runs
 * out. */
uint32_t *map64_at(struct map64 *map, uint64_t key);

/* Returns the value of @key, or 0. */
uint32_t map64_find(const struct map64 *map, uint64_t key);
void map64_free(struct map64 *map);

#endif
