/* SPDX-License-Identifier: MIT */
/* name_table.h - pairs of a function's name and its library's, numbered from 1: what is
 * the same function in two processes, or in two builds. */
#ifndef SPOOR_TOOLS_NAME_TABLE_H
#define SPOOR_TOOLS_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct name_pair {
	char *function, *library;	/* one piece of memory, `function` its beginning */
	uint64_t hash;			/* of both: the same in every run */
};

struct name_table {
	struct name_pair *list;		/* [0] is nobody's */
	uint32_t count, capacity;
	uint32_t *buckets;		/* numbers, or 0 */
	uint32_t bucket_count;
};

/* Return: the number of the pair, a new one or not; 0 without memory. Strings are copied. */
uint32_t name_table_add(struct name_table *table, const char *function, const char *library);
void name_table_free(struct name_table *table);

#endif
