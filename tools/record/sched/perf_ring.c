/* SPDX-License-Identifier: MIT */
/* perf_ring.c - maps a ring, and reads its records. */
#include "record/sched/perf_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RING_BYTES_LEAST (16u * 1024)

int perf_ring_map(struct perf_ring *ring, size_t most)
{
	void *mapped = MAP_FAILED;

	ring->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	for (ring->bytes = most; mapped == MAP_FAILED; ring->bytes /= 2) {
		mapped = mmap(NULL, ring->page_bytes + ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
		if (mapped != MAP_FAILED)
			break;
		if ((errno != EPERM && errno != ENOMEM) || ring->bytes / 2 < RING_BYTES_LEAST)
			return -errno;
	}
	ring->page = mapped;
	ring->data = (const uint8_t *)mapped + ring->page_bytes;
	return 0;
}

void perf_ring_close(const struct perf_ring *ring)
{
	if (ring->page)
		munmap(ring->page, ring->page_bytes + ring->bytes);
	close(ring->fd);
}

void perf_ring_read(const struct perf_ring *ring,
		    void (*take)(void *context, const struct perf_ring *ring, const uint8_t *record, size_t bytes), void *context)
{
	uint8_t whole[512];
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), tail = ring->page->data_tail;

	while (tail < head) {
		struct perf_event_header header;
		size_t at = (size_t)(tail % ring->bytes), first;

		/* Records are aligned to 8 bytes, so a header does not wrap around. */
		memcpy(&header, ring->data + at, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - tail)
			break;
		first = ring->bytes - at < header.size ? ring->bytes - at : header.size;
		if (header.size <= sizeof(whole)) {
			memcpy(whole, ring->data + at, first);
			memcpy(whole + first, ring->data, header.size - first);
			take(context, ring, whole, header.size);
		}
		tail += header.size;
	}
	/* Pairs with the kernel's load of data_tail before it overwrites the records. */
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}
