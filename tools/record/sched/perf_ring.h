/* SPDX-License-Identifier: MIT */
/* perf_ring.h - the memory into which the kernel writes records of one processor. */
#ifndef SPOOR_TOOLS_RECORD_PERF_RING_H
#define SPOOR_TOOLS_RECORD_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;

struct perf_ring {
	int fd;			/* the first event that writes to it */
	int processor;
	bool has_calls;		/* of system calls, and nothing else */
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	size_t bytes, page_bytes;
};

/* Maps the largest ring of up to @most bytes that the limit of locked memory allows. Returns 0 or a negative errno. */
int perf_ring_map(struct perf_ring *ring, size_t most);

/* Unmaps the ring and closes its event. */
void perf_ring_close(const struct perf_ring *ring);

/* Calls @take for each record in the ring, and frees its place. */
void perf_ring_read(const struct perf_ring *ring,
		    void (*take)(void *context, const struct perf_ring *ring, const uint8_t *record, size_t bytes), void *context);

#endif
