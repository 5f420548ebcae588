/* SPDX-License-Identifier: MIT */
/* map64.h - 64-bit keys to 32-bit values that are not 0. */
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

/* Where the value of @key is: 0 is a new one's, to be set by the caller. Null without memory. */
uint32_t *map64_at(struct map64 *map, uint64_t key);

/* The value of @key; 0: it has none. */
uint32_t map64_find(const struct map64 *map, uint64_t key);
void map64_free(struct map64 *map);

#endif
