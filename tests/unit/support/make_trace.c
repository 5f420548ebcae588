/* SPDX-License-Identifier: MIT */
/*
 * make_trace.c - writes a large trace for measuring the readers.
 *
 * usage: make_trace DIR CALLS THREADS [LIBRARY FUNCTIONS BUILD_ID]
 *
 * The calls nest as in a program: a random walk through a tree of a few
 * thousand functions. The tree is the same in each run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/trace_writer.h"

#define DEPTH_MAX 40

struct walker {
	struct trace_thread *thread;
	uint32_t stack[DEPTH_MAX];
	int depth;
	uint64_t random;
};

static uint32_t next_random(struct walker *walker)
{
	walker->random = walker->random * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(walker->random >> 33);
}

/* Writes one entry or exit. Returns whether it was an entry. */
static bool step(struct walker *walker, uint32_t functions)
{
	uint32_t random = next_random(walker);

	walker->thread->writer->counter += 20 + random % 32;
	if (walker->depth == 0 || (walker->depth < DEPTH_MAX && random % 100 < 50)) {
		/* A caller has few callees, as in real programs. */
		uint32_t caller = walker->depth ? walker->stack[walker->depth - 1] : 0;
		uint32_t index = (caller * 7 + 1 + random / 128 % 4) % functions;

		walker->stack[walker->depth++] = index;
		trace_thread_entry(walker->thread, index);
		return true;
	}
	trace_thread_exit(walker->thread, walker->stack[--walker->depth]);
	return false;
}

int main(int argc, char **argv)
{
	static const uint8_t no_build_id[1];
	uint64_t calls, done = 0;
	uint32_t threads, functions;
	struct trace_writer writer;
	struct walker *walkers;

	if (argc != 4 && argc != 7) {
		fprintf(stderr, "usage: make_trace DIR CALLS THREADS [LIBRARY FUNCTIONS BUILD_ID]\n");
		return 2;
	}
	calls = strtoull(argv[2], NULL, 10);
	threads = (uint32_t)strtoul(argv[3], NULL, 10);
	functions = argc == 7 ? (uint32_t)strtoul(argv[5], NULL, 10) : 4000;
	trace_writer_begin(&writer, argv[1], "4711", 4711);
	trace_writer_facts(&writer, "executable=/usr/bin/large\0process=4711", 39);
	if (argc == 7) {
		uint8_t build_id[64];
		uint32_t bytes = 0;

		for (const char *hex = argv[6]; hex[0] && hex[1] && bytes < sizeof(build_id); hex += 2)
			sscanf(hex, "%2hhx", &build_id[bytes++]);
		trace_writer_module(&writer, 1, 0, functions, build_id, bytes, argv[4], "");
	} else {
		trace_writer_module(&writer, 1, 0, functions, no_build_id, 0, "/nowhere/liblarge.so", "liblarge.so");
	}
	walkers = calloc(threads, sizeof(*walkers));
	for (uint32_t i = 0; i < threads; i++) {
		walkers[i].thread = trace_thread_begin(&writer, 4711 + i);
		walkers[i].random = i + 1;
	}
	while (done < calls)
		for (uint32_t i = 0; i < threads; i++)
			for (int j = 0; j < 1000; j++)
				done += step(&walkers[i], functions);
	for (uint32_t i = 0; i < threads; i++) {
		while (walkers[i].depth) {
			writer.counter += 30;
			trace_thread_exit(walkers[i].thread, walkers[i].stack[--walkers[i].depth]);
		}
		trace_thread_end(walkers[i].thread);
	}
	trace_writer_end(&writer, true);
	free(walkers);
	printf("%llu calls\n", (unsigned long long)done);
	return 0;
}
