/* SPDX-License-Identifier: MIT */
/* value_types.c - the memory of types. */
#include "reader/types/value_types.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 16384u

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	max_align_t memory[];
};

void *type_arena_get(struct type_arena *arena, size_t bytes)
{
	struct arena_chunk *chunk = arena->chunks;

	bytes = (bytes + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
	if (bytes > arena->left) {
		size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;

		chunk = calloc(1, sizeof(*chunk) + size);
		if (!chunk)
			return NULL;
		*chunk = (struct arena_chunk){ arena->chunks, size };
		arena->chunks = chunk;
		arena->left = size;
	}
	arena->left -= bytes;
	return (char *)chunk->memory + arena->left;
}

const char *type_arena_copy(struct type_arena *arena, const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = type_arena_get(arena, bytes);

	return copy ? memcpy(copy, text, bytes) : NULL;
}

void type_arena_free(struct type_arena *arena)
{
	for (struct arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	*arena = (struct type_arena){ 0 };
}
