/* SPDX-License-Identifier: MIT */
/* map64.c - a hash table with open addressing, at most half full. */
#include "reader/files/map64.h"

#include <stdlib.h>

static struct map64_entry *map64_slot(struct map64_entry *entries, size_t capacity, uint64_t key)
{
	size_t at = (size_t)((key ^ key >> 32) * 0x9e3779b97f4a7c15ull >> 20) & (capacity - 1);

	while (entries[at].value && entries[at].key != key)
		at = (at + 1) & (capacity - 1);
	return &entries[at];
}

uint32_t *map64_at(struct map64 *map, uint64_t key)
{
	struct map64_entry *entry;

	if (2 * (map->count + 1) > map->capacity) {
		size_t capacity = map->capacity ? 2 * map->capacity : 64;
		struct map64_entry *entries = calloc(capacity, sizeof(*entries));

		if (!entries)
			return NULL;
		for (size_t i = 0; i < map->capacity; i++)
			if (map->entries[i].value)
				*map64_slot(entries, capacity, map->entries[i].key) = map->entries[i];
		free(map->entries);
		map->entries = entries;
		map->capacity = capacity;
	}
	entry = map64_slot(map->entries, map->capacity, key);
	if (!entry->value) {
		entry->key = key;
		map->count++;
	}
	return &entry->value;
}

uint32_t map64_find(const struct map64 *map, uint64_t key)
{
	return map->capacity ? map64_slot(map->entries, map->capacity, key)->value : 0;
}

void map64_free(struct map64 *map)
{
	free(map->entries);
	*map = (struct map64){ 0 };
}
