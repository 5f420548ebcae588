/* SPDX-License-Identifier: MIT */
/* process_records.h - helpers that the readers of a process file's blocks share. */
#ifndef SPOOR_READER_PROCESS_RECORDS_H
#define SPOOR_READER_PROCESS_RECORDS_H

#include <stdlib.h>
#include <string.h>

#include "reader/files/process.h"

/* Makes room for one more element at the end of an array. Returns null if memory runs out. */
static inline void *array_add(void *array, size_t count, size_t size)
{
	/* The capacity is the next power of two. */
	if (count & (count - 1))
		return array;
	return reallocarray(array, count ? 2 * count : 1, size);
}

#define ARRAY_ADD(array, count)                                                        \
	({                                                                             \
		void *larger_ = array_add(array, count, sizeof(*(array)));             \
		if (larger_)                                                           \
			(array) = larger_;                                             \
		larger_ ? &(array)[(count)++] : NULL;                                  \
	})

/* Returns the string at the start of the rest of a body, or null if it has no NUL. */
static inline const char *record_string(const uint8_t **at, const uint8_t *end)
{
	const uint8_t *string = *at, *nul = memchr(string, 0, (size_t)(end - string));

	if (!nul)
		return NULL;
	*at = nul + 1;
	return (const char *)string;
}

/* Reads a block that describes modules. Returns 0 or a negative errno. */
int process_take_module_record(struct process *process, const struct block *block, struct symbol_cache *symbols);

#endif
