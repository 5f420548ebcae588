/* SPDX-License-Identifier: MIT */
/* name_table.h - numbers pairs of a function's name and its library's name, from 1. Two processes or two builds
 * have the same function if they have the same pair. */
#ifndef SPOOR_TOOLS_NAME_TABLE_H
#define SPOOR_TOOLS_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct name_pair {
	char *function, *library;	/* one allocation, which starts at `function` */
	uint64_t hash;			/* of both names; the same in every run */
};

struct name_table {
	struct name_pair *list;		/* [0] is unused */
	uint32_t count, capacity;
	uint32_t *buckets;		/* numbers of pairs; 0: empty */
	uint32_t bucket_count;
};

/* Returns the number of the pair, which is added if it is new; 0 if memory runs out. Copies the strings. */
uint32_t name_table_add(struct name_table *table, const char *function, const char *library);
void name_table_free(struct name_table *table);

#endif
