/* SPDX-License-Identifier: MIT */
/* name_table.c - numbers pairs of a function's name and its library's name. */
#include "base/name_table.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static uint32_t *bucket_of(const struct name_table *table, uint64_t hash, const char *function, const char *library)
{
	uint32_t at = (uint32_t)hash & (table->bucket_count - 1);

	for (; table->buckets[at]; at = (at + 1) & (table->bucket_count - 1)) {
		const struct name_pair *pair = &table->list[table->buckets[at]];

		if (pair->hash == hash && strcmp(pair->function, function) == 0 && strcmp(pair->library, library) == 0)
			break;
	}
	return &table->buckets[at];
}

/* Makes room for one more pair. Returns 0, or -1 if memory runs out. */
static int grow(struct name_table *table)
{
	uint32_t count = table->capacity ? 2 * table->capacity : 256;
	struct name_pair *list = reallocarray(table->list, count, sizeof(*list));
	uint32_t *buckets;

	if (!list)
		return -1;
	table->list = list;
	buckets = calloc(2 * (size_t)count, sizeof(*buckets));
	if (!buckets)
		return -1;
	free(table->buckets);
	table->buckets = buckets;
	table->bucket_count = 2 * count;
	table->capacity = count;
	if (!table->count)
		table->list[table->count++] = (struct name_pair){ 0 };
	for (uint32_t i = 1; i < table->count; i++)
		*bucket_of(table, list[i].hash, list[i].function, list[i].library) = i;
	return 0;
}

uint32_t name_table_add(struct name_table *table, const char *function, const char *library)
{
	size_t function_bytes = strlen(function) + 1, library_bytes = strlen(library) + 1;
	uint64_t hash = XXH3_64bits_withSeed(function, function_bytes, XXH3_64bits(library, library_bytes));
	uint32_t *bucket;
	char *text;

	if (table->count == table->capacity && grow(table) < 0)
		return 0;
	bucket = bucket_of(table, hash, function, library);
	if (*bucket)
		return *bucket;
	text = malloc(function_bytes + library_bytes);
	if (!text)
		return 0;
	memcpy(text, function, function_bytes);
	memcpy(text + function_bytes, library, library_bytes);
	table->list[table->count] = (struct name_pair){ text, text + function_bytes, hash };
	return *bucket = table->count++;
}

void name_table_free(struct name_table *table)
{
	for (uint32_t i = 1; i < table->count; i++)
		free(table->list[i].function);
	free(table->list);
	free(table->buckets);
	*table = (struct name_table){ 0 };
}
