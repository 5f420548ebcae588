/* SPDX-License-Identifier: MIT */
/* inlined.c - keeps the inlined calls of modules. */
#include "reader/inlined/inlined_calls.h"

#include <stdlib.h>
#include <string.h>

#include "reader/files/printable_text.h"

static void free_call(struct inlined_call *call)
{
	free(call->linkage);
	free(call->caller);
	free(call->file);
}

bool inlined_put(struct inlined *inlined, const char *linkage, const char *caller, const char *file, uint32_t line)
{
	struct inlined_call call = { .line = line };

	if (inlined->count == inlined->capacity) {
		size_t capacity = inlined->capacity ? 2 * inlined->capacity : 256;
		struct inlined_call *calls = reallocarray(inlined->calls, capacity, sizeof(*calls));

		if (!calls)
			return false;
		inlined->calls = calls;
		inlined->capacity = capacity;
	}
	call.linkage = clean_name(strdup(linkage));
	call.caller = clean_name(strdup(caller ? caller : ""));
	call.file = clean_name(strdup(file ? file : ""));
	if (!call.linkage || !call.caller || !call.file) {
		free_call(&call);
		return false;
	}
	inlined->calls[inlined->count++] = call;
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct inlined_call *a = left, *b = right;
	int order = strcmp(a->linkage, b->linkage);

	if (!order)
		order = strcmp(a->file, b->file);
	if (!order)
		order = (a->line > b->line) - (a->line < b->line);
	return order ? order : strcmp(a->caller, b->caller);
}

void inlined_sort(struct inlined *inlined)
{
	size_t kept = 0;

	if (inlined->count)
		qsort(inlined->calls, inlined->count, sizeof(*inlined->calls), compare);
	for (size_t i = 0; i < inlined->count; i++)
		if (kept && compare(&inlined->calls[kept - 1], &inlined->calls[i]) == 0)
			free_call(&inlined->calls[i]);
		else
			inlined->calls[kept++] = inlined->calls[i];
	inlined->count = kept;
}

void inlined_free(struct inlined *inlined)
{
	for (size_t i = 0; i < inlined->count; i++)
		free_call(&inlined->calls[i]);
	free(inlined->calls);
	*inlined = (struct inlined){ 0 };
}
