/* SPDX-License-Identifier: MIT */
/*
 * count_calls.c - an example of a handler library: counts the calls of each function.
 *
 * At its end the library writes lines of text, with tabs between the fields, to the file that COUNT_CALLS_OUTPUT
 * names, or to stderr:
 *
 *   calls  N  NAME  FILE:LINE  MODULE     one line for each function
 *   gone   MODULE                         when a module is unloaded
 *   full   N                              functions that had no room in the table
 *   end    entries exits underflows deepest unreported
 *
 *   cc -O2 -fPIC -shared -ftls-model=initial-exec -o libcount_calls.so count_calls.c
 *   spoor record --handler ./libcount_calls.so -- ./program
 *
 * A forked child writes nothing, because the file belongs to its parent.
 *
 * Signal handlers cause events too, so event() takes no lock and calls no function. The option -ftls-model keeps
 * its thread-local variable from allocating memory when a thread first uses it.
 */
#include "spoor_handler.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLOTS (1u << 16)	/* a power of two */

struct function {
	uint64_t id;		/* the function's ID + 1, or 0 in a free slot; stored last */
	unsigned long calls;
	char *name, *file, *module;
	uint32_t line;
};

static struct function functions[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* taken to add a function */
static unsigned long function_count, full;
static unsigned long entries, exits, underflows;
static long deepest;
static __thread long depth;
static FILE *output;
static pid_t process;

static struct function *find(uint64_t id)
{
	uint64_t at = id * 0x9e3779b97f4a7c15 >> 32;

	for (;; at++) {
		struct function *function = &functions[at & (SLOTS - 1)];
		uint64_t found = __atomic_load_n(&function->id, __ATOMIC_ACQUIRE);

		if (found == id + 1 || !found)
			return function;
	}
}

static int begin(void)
{
	const char *path = getenv("COUNT_CALLS_OUTPUT");

	output = path ? fopen(path, "we") : stderr;
	if (!output)
		return 1;
	/* Each line is written at once, so a forked child inherits no text that it would write again. */
	setvbuf(output, NULL, _IOLBF, 0);
	process = getpid();
	return 0;
}

static char *copy(const char *text)
{
	return strdup(text ? text : "?");
}

static void add_function(const struct spoor_handler_function *added)
{
	struct function *function;

	pthread_mutex_lock(&lock);
	function = find(added->id);
	if (function->id) {
		/* The module was unloaded and loaded again. */
	} else if (function_count == SLOTS / 2) {
		full++;
	} else {
		function->name = copy(added->name);
		function->file = copy(added->file);
		function->module = copy(added->module);
		function->line = added->line;
		function_count++;
		__atomic_store_n(&function->id, added->id + 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
}

#if defined __SSE__ || defined __ARM_FP
#define FLAGS 0
#define SAVES
#else	/* -mgeneral-regs-only */
#define FLAGS SPOOR_HANDLER_SAVES_REGISTERS
#define SAVES SPOOR_SAVES_REGISTERS
#endif

SAVES static void event(uint64_t id, int kind)
{
#ifdef COUNT_CALLS_CLOBBER
	/* The tests define this to change every register that a compiler may change in C. */
	__asm__ volatile(COUNT_CALLS_CLOBBER : : : COUNT_CALLS_CLOBBERED);
#endif
	if (kind == SPOOR_HANDLER_ENTRY) {
		struct function *function = find(id);
		long most = __atomic_load_n(&deepest, __ATOMIC_RELAXED);

		if (function->id)
			__atomic_fetch_add(&function->calls, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&entries, 1, __ATOMIC_RELAXED);
		depth++;
		while (depth > most && !__atomic_compare_exchange_n(&deepest, &most, depth, 0, __ATOMIC_RELAXED,
								    __ATOMIC_RELAXED))
			;
	} else {
		__atomic_fetch_add(&exits, 1, __ATOMIC_RELAXED);
		if (--depth < 0)
			__atomic_fetch_add(&underflows, 1, __ATOMIC_RELAXED);
	}
}

static void gone(uint32_t module_id, const char *path)
{
	(void)module_id;
	fprintf(output, "gone\t%s\n", path);
}

static void end(uint64_t unreported)
{
	if (getpid() != process)
		return;
	for (unsigned int i = 0; i < SLOTS; i++) {
		const struct function *function = &functions[i];

		if (function->id)
			fprintf(output, "calls\t%lu\t%s\t%s:%u\t%s\n", function->calls, function->name, function->file,
				function->line, function->module);
	}
	if (full)
		fprintf(output, "full\t%lu\n", full);
	fprintf(output, "end\t%lu\t%lu\t%lu\t%ld\t%lu\n", entries, exits, underflows, deepest,
		(unsigned long)unreported);
	fflush(output);
}

const struct spoor_handler_library *spoor_handler_library(uint32_t version)
{
	static const struct spoor_handler_library library = {
		.size = sizeof(library),
		.version = SPOOR_HANDLER_LIBRARY_VERSION,
		.flags = FLAGS,
		.begin = begin,
		.function = add_function,
		.event = (spoor_handler *)event,
		.module_gone = gone,
		.end = end,
	};

	return version == SPOOR_HANDLER_LIBRARY_VERSION ? &library : NULL;
}
