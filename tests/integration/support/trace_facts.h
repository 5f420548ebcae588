/* SPDX-License-Identifier: MIT */
/*
 * trace_facts.h - the data that trace_facts has read of one process.
 *
 * The files are read first, in the order in which a process writes them, because events refer to modules; then the
 * threads. Each part prints its own lines.
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
	struct spoor_skipped_sleds alone;
};

struct slice {
	struct spoor_slice_info info;
	uint64_t *words;
	uint32_t count;
	unsigned int partial;	/* 0: complete; else the order of reading: a later slice has more events */
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
	const char *folder;		/* name of the process's folder in the trace */
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
	bool any_nesting;		/* set by -n: exits need not match open functions */
} facts;

/* Prints a contradiction in the trace; the exit status is then 1. */
void fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes room in @array for one more element than @count. Never returns NULL. */
void *grow(void *array, size_t count, size_t size);

/* Returns the module that has this function, or NULL. */
struct module *module_of(uint32_t index);

/* Reads all blocks of a file. A missing file counts as empty. */
void facts_read_blocks(const char *trace, const char *name);

/*
 * Reads the slices in the pool that were never written to the trace: full slices, and slices that were in use at the
 * end.
 */
void facts_read_pool(const char *trace);

/* Counts and checks the calls of all threads, and prints user events. */
void facts_walk_threads(void);

#endif
