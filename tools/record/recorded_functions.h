/* SPDX-License-Identifier: MIT */
/*
 * recorded_functions.h - which functions occur in the events of each recorded process, by its folder in the trace.
 *
 * The drainers add the functions while they pack events (format/packing.h), so that the recorder does not have to read a
 * long trace again.
 */
#ifndef SPOOR_TOOLS_RECORDED_FUNCTIONS_H
#define SPOOR_TOOLS_RECORDED_FUNCTIONS_H

#include "format/function_set.h"

struct recorded_functions {
	struct recorded_functions *next;
	char *folder;
	struct spoor_function_set set;
};

/* Begins an empty set. Returns null if memory runs out. */
struct recorded_functions *recorded_functions_begin(const char *folder);

/* Frees the memory that the set does not need. No function is added after this. */
void recorded_functions_settle(struct recorded_functions *functions);

/* Makes an index of a list, for recorded_functions_find; null for an empty list, and if memory runs out. */
void *recorded_functions_index(const struct recorded_functions *list);
void recorded_functions_index_free(void *index);

/* Returns the set of the process in @folder, or null. */
const struct spoor_function_set *recorded_functions_find(void *index, const char *folder);

/* Frees a list. */
void recorded_functions_free(struct recorded_functions *list);

#endif
