/* SPDX-License-Identifier: MIT */
/* recorded_functions.c - which functions occur in the events of each recorded process. */
#define _GNU_SOURCE
#include "record/recorded_functions.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* Half a megabyte of bits. The kernel gives memory only for the pages that are used. */
#define INDEXES_MAX (1u << 22)

struct recorded_functions *recorded_functions_begin(const char *folder)
{
	struct recorded_functions *functions = calloc(1, sizeof(*functions));

	if (!functions)
		return NULL;
	functions->folder = strdup(folder);
	functions->set.bits = calloc(INDEXES_MAX / 64, sizeof(uint64_t));
	functions->set.capacity = INDEXES_MAX;
	if (functions->folder && functions->set.bits)
		return functions;
	recorded_functions_free(functions);
	return NULL;
}

void recorded_functions_settle(struct recorded_functions *functions)
{
	size_t bytes = ((size_t)functions->set.end + 63) / 64 * sizeof(uint64_t);
	uint64_t *bits = malloc(bytes + 1);

	if (!bits)
		return;
	memcpy(bits, functions->set.bits, bytes);
	free(functions->set.bits);
	functions->set.bits = bits;
	functions->set.capacity = (functions->set.end + 63) / 64 * 64;
}

static int compare_folders(const void *left, const void *right)
{
	const struct recorded_functions *a = left, *b = right;

	return strcmp(a->folder, b->folder);
}

void *recorded_functions_index(const struct recorded_functions *list)
{
	void *index = NULL;

	for (; list; list = list->next)
		tsearch(list, &index, compare_folders);
	return index;
}

static void keep_node(void *node)
{
	(void)node;
}

void recorded_functions_index_free(void *index)
{
	tdestroy(index, keep_node);
}

const struct spoor_function_set *recorded_functions_find(void *index, const char *folder)
{
	const struct recorded_functions sought = { .folder = (char *)folder }, *const *found;

	found = tfind(&sought, &index, compare_folders);
	return found ? &(*found)->set : NULL;
}

void recorded_functions_free(struct recorded_functions *list)
{
	for (struct recorded_functions *next; list; list = next) {
		next = list->next;
		free(list->folder);
		free(list->set.bits);
		free(list);
	}
}
