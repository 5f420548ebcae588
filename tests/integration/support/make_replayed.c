/* SPDX-License-Identifier: MIT */
/*
 * make_replayed.c - writes a trace of two processes, or of one process with one thread. The threads take turns at
 * random, and the trace has every event that `spoor replay` must order.
 *
 * usage: make_replayed DIR THREADS EVENTS SEED
 *
 * The same seed makes the same trace. The modules are liba.so, libb.so and libc.so, and none of these files exists.
 * Two events in ten have the time stamp of the previous event. User events with their own time are older than the
 * trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/trace_writer.h"

#define DEPTH_MAX 12
#define FUNCTIONS 10u	/* in each library */
#define NEVER_ENTERED 9u

struct walker {
	struct trace_thread *thread;
	uint32_t stack[DEPTH_MAX], frames[DEPTH_MAX];
	uint32_t depth;
};

static uint64_t state;

static uint32_t some(uint32_t below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % below;
}

static void lose(struct trace_thread *thread)
{
	const uint64_t words[] = { 1 + some(20), SPOOR_LOSS_POOL_EXHAUSTED };

	trace_thread_extended(thread, SPOOR_EXTENDED_LOST, words, 2);
}

static void enter(struct walker *walker)
{
	struct trace_thread *thread = walker->thread;
	uint32_t index = some(3) * FUNCTIONS + some(NEVER_ENTERED);
	static uint32_t frame;

	trace_thread_entry(thread, index);
	walker->stack[walker->depth] = index;
	walker->frames[walker->depth] = 0;
	if (some(4) == 0) {
		walker->frames[walker->depth] = ++frame;
		trace_thread_word(thread, SPOOR_EVENT_WORD(SPOOR_EVENT_FRAME, frame, thread->writer->counter));
	}
	walker->depth++;
}

static void unwind(struct walker *walker)
{
	uint32_t at = walker->depth;

	while (at && !walker->frames[at - 1])
		at--;
	if (!at)
		return;
	trace_thread_word(walker->thread, SPOOR_EVENT_WORD(SPOOR_EVENT_UNWIND, walker->frames[at - 1],
							   walker->thread->writer->counter));
	walker->depth = at;
}

static void leave(struct walker *walker, uint32_t at, bool tail)
{
	(tail ? trace_thread_tail : trace_thread_exit)(walker->thread, walker->stack[at]);
	/* An exit closes the innermost call of its function. */
	while (walker->stack[--walker->depth] != walker->stack[at])
		;
}

static void step(struct walker *walker)
{
	struct trace_thread *thread = walker->thread;
	uint32_t what = some(200);

	if (walker->depth < DEPTH_MAX && (what < 90 || !walker->depth))
		enter(walker);
	else if (what < 160)
		leave(walker, walker->depth - 1, false);
	else if (what < 170)
		leave(walker, walker->depth - 1, true);
	else if (what < 175)
		leave(walker, some(walker->depth), false);
	else if (what < 182)
		unwind(walker);
	else if (what < 190)
		trace_thread_user(thread, 0x80000001, some(1000), some(1000), 0);
	else if (what < 192)
		trace_thread_user(thread, 0x80000001, some(1000), some(1000), TRACE_WRITER_STEADY_NS - 1 - some(1000000));
	else if (what < 194)
		trace_thread_exit(thread, some(3) * FUNCTIONS + NEVER_ENTERED);
	else if (what < 196)
		lose(thread);
	else if (what < 198)
		trace_thread_flush(thread);
}

int main(int argc, char **argv)
{
	static const char *const libraries[] = { "liba.so", "libb.so", "libc.so" };
	uint32_t threads = argc == 5 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	uint64_t events = argc == 5 ? strtoull(argv[3], NULL, 10) : 0;
	struct walker *walkers = calloc(threads ? threads : 1, sizeof(*walkers));
	struct trace_writer writers[2];
	uint32_t processes = threads > 1 ? 2 : 1;

	if (!threads || !walkers) {
		fprintf(stderr, "usage: make_replayed DIR THREADS EVENTS SEED\n");
		return 2;
	}
	state = strtoull(argv[4], NULL, 10);
	for (uint32_t process = 0; process < processes; process++) {
		char name[8], facts[32];

		snprintf(name, sizeof(name), "%u", 1000 * (process + 1));
		trace_writer_begin(&writers[process], argv[1], name, 1000 * (process + 1));
		snprintf(facts, sizeof(facts), "executable=/nowhere/process%u", process);
		trace_writer_facts(&writers[process], facts, strlen(facts) + 1);
		for (uint32_t i = 0; i < 3; i++) {
			char path[32];

			snprintf(path, sizeof(path), "/nowhere/%s", libraries[i]);
			trace_writer_module(&writers[process], 0xa0 + i, i * FUNCTIONS, FUNCTIONS, "x", 1, path, libraries[i]);
		}
	}
	for (uint32_t i = 0; i < threads; i++)
		walkers[i].thread = trace_thread_begin(&writers[i % 2], 5000 + i);
	for (uint64_t i = 0, counter = TRACE_WRITER_COUNTER; i < events; i++) {
		struct walker *walker = &walkers[some(threads)];

		if (some(10) >= 2)
			counter += 1 + some(2000);
		if (some(100) == 0)
			counter += trace_writer_ticks(20000);
		writers[0].counter = writers[1].counter = counter;
		step(walker);
	}
	for (uint32_t i = 0; i < threads; i++)
		trace_thread_end(walkers[i].thread);
	for (uint32_t process = 0; process < processes; process++)
		trace_writer_end(&writers[process], true);
	free(walkers);
	return 0;
}
