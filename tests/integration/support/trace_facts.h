/* SPDX-License-Identifier: MIT */
/*
 * trace_facts.h - what trace_facts knows of one process, the one whose folder is read.
 *
 * The files first, in the order in which a process writes them, for events are of
 * modules; then the threads. Each prints the lines that are its own.
 */
#ifndef TRACE_FACTS_H
#define TRACE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/pool_format.h"
#include "format/trace_format.h"

struct module {
	struct spoor_module_record record;
	char *path;
	bool gone;
	char **names;			/* by local ID */
	uint64_t *entries, *exits, *unwound;	/* by local ID */
	struct spoor_left_alone alone;
};

struct slice {
	struct spoor_slice_info info;
	uint64_t *words;
	uint32_t count;
	unsigned int partial;	/* it was in use still: the later ones have more; 0: all of it */
};

struct name {
	uint32_t thread_id;
	char text[64];
};

struct thread_roots {
	uint32_t thread_id;
	const struct spoor_roots *record;
};

extern struct facts {
	const char *folder;		/* its name in the trace */
	struct module *modules;
	size_t module_count;
	struct slice *slices;
	size_t slice_count;
	struct name *names;
	size_t name_count;
	struct thread_roots *roots;
	size_t root_count;
	uint64_t lost[8];		/* by cause */
	long process_id, parent_id;
	bool ended, forked;
	bool any_nesting;		/* -n */
} facts;

/* Says what contradicts itself, for exit status 1. */
void fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Room in @array for one element more than @count. Never null. */
void *grow(void *array, size_t count, size_t size);

/* The module that has this function; null: none. */
struct module *module_of(uint32_t index);

/* All blocks of a file; one that is not there has none. */
void facts_read_blocks(const char *trace, const char *name);

/* Slices that nobody wrote: full ones, and those that were in use at the end. */
void facts_read_pool(const char *trace);

/* Counts and checks the calls of all threads; user events are printed. */
void facts_walk_threads(void);

#endif
