/* SPDX-License-Identifier: MIT */
/*
 * inlined.h - finds the calls that the compiler has replaced by the body of the called function, in debug information.
 *
 * Such a call has no event. Without debug information (-g) such calls are unknown.
 */
#ifndef SPOOR_READER_INLINED_H
#define SPOOR_READER_INLINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum inlined_by { INLINED_BY_CLANG, INLINED_BY_GCC, INLINED_BY_RUST };

struct inlined_call {
	char *linkage;			/* of the called function; its name if it has no linkage name, as in C */
	char *caller;			/* the function with the call in the source, as above; "": unknown */
	char *file;			/* path of the source file of the call; "": unknown */
	uint32_t line;			/* 0: unknown */
	enum inlined_by by;		/* the compiler; a compiler of another language counts as clang */
};

struct inlined {
	struct inlined_call *calls;	/* sorted by all members, each once */
	size_t count, capacity;
	bool has_information;		/* a file with debug information was read */
};

/* inlined_add - adds the inlined calls in the file at @path. Returns null, or the error, without a full stop. */
const char *inlined_add(struct inlined *inlined, const char *path);

/* Sorts the calls and removes duplicates, after the last inlined_add. */
void inlined_sort(struct inlined *inlined);
void inlined_free(struct inlined *inlined);

#endif
