/* SPDX-License-Identifier: MIT */
/*
 * count_calls.c - a handler library: counts the calls of each function, and at the end
 * writes them as text to the file that COUNT_CALLS_OUTPUT names, or to stderr:
 *
 *   calls  N  NAME  FILE:LINE  MODULE     one line a function, by tabs
 *   gone   MODULE                         when a module was unloaded
 *   end    entries exits underflows deepest unreported
 *
 *   cc -O2 -fPIC -shared -ftls-model=initial-exec -o libcount_calls.so count_calls.c
 *   spoor record --handler ./libcount_calls.so -- ./program
 *
 * A forked child's calls are not written, for the file is its parent's.
 *
 * Events come in signal handlers too, so `event` takes no lock, and calls nothing. Its
 * thread-local variable is of the model that needs no memory at its first use.
 */
#include "spoor_handler.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLOTS (1u << 16)	/* a power of two */

struct function {
	uint64_t id;		/* + 1; 0: a free slot. Stored last. */
	unsigned long calls;
	char *name, *file, *module;
	uint32_t line;
};

static struct function functions[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* whoever adds one has it */
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
	/* So that a forked child has nothing of its parent's to write. */
	setvbuf(output, NULL, _IOLBF, 0);
	process = getpid();
	return 0;
}

static char *copy(const char *text)
{
	return strdup(text ? text : "?");
}

static void told_of(const struct spoor_handler_function *told)
{
	struct function *function;

	pthread_mutex_lock(&lock);
	function = find(told->id);
	if (function->id) {
		/* Its module was unloaded, and is back. */
	} else if (function_count == SLOTS / 2) {
		full++;
	} else {
		function->name = copy(told->name);
		function->file = copy(told->file);
		function->module = copy(told->module);
		function->line = told->line;
		function_count++;
		__atomic_store_n(&function->id, told->id + 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
}

#if defined __SSE__ || defined __ARM_FP
#define FLAGS 0
#define SAVES
#else	/* compiled with -mgeneral-regs-only */
#define FLAGS SPOOR_HANDLER_SAVES_REGISTERS
#define SAVES SPOOR_SAVES_REGISTERS
#endif

SAVES static void event(uint64_t id, int kind)
{
#ifdef COUNT_CALLS_CLOBBER
	/* What a compiler may do in any C: the tests build it so, with instructions and registers. */
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
		.function = told_of,
		.event = (spoor_handler *)event,
		.module_gone = gone,
		.end = end,
	};

	return version == SPOOR_HANDLER_LIBRARY_VERSION ? &library : NULL;
}
