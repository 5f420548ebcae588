/* SPDX-License-Identifier: MIT */
/* draining.c - a pool, a thread that logs, and a drainer. */
#define _GNU_SOURCE
#include "tests/unit/support/draining.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/block.h"
#include "format/packing.h"

struct draining draining;

void draining_begin(void)
{
	int pool_fd = memfd_create("pool", 0);

	draining.events_fd = memfd_create("events", 0);
	ck_assert_int_ge(pool_fd, 0);
	ck_assert_int_eq(spoor_pool_create(pool_fd, 1, DRAINING_SLICES, &spoor_pool), 0);
	ck_assert_int_eq(spoor_drain_begin(&draining.drain, &(struct spoor_drain_options){ .pool = spoor_pool, .fd = draining.events_fd }), 0);
	draining.thread = (struct spoor_thread){ .process_id = 1, .thread_id = 2, .serial = 3 };
	draining.logged = 0;
}

uint64_t *draining_reserve(void)
{
	for (;;) {
		uint64_t slot = draining.thread.cursor;

		draining.thread.cursor += 8;
		if (slot & SPOOR_SLICE_BIT)
			return (uint64_t *)slot;
		if (spoor_event_slow(&draining.thread, slot, 1))
			return NULL;
	}
}

int draining_log(void)
{
	uint64_t *slot = draining_reserve();

	if (!slot)
		return 0;
	*slot = SPOOR_EVENT_WORD(SPOOR_EVENT_ENTRY, draining.logged % 1000, draining.logged);
	draining.logged++;
	return 1;
}

uint64_t draining_read_back(void)
{
	static uint64_t unpacked[SPOOR_SLICE_WORDS];
	static uint8_t bytes[8 << 20];
	static ssize_t blocks[4096];
	ssize_t size = pread(draining.events_fd, bytes, sizeof(bytes), 0);
	uint64_t count = 0;

	memset(blocks, 0, sizeof(blocks));
	for (ssize_t at = 0; at < size;) {
		struct spoor_block block;

		memcpy(&block, bytes + at, sizeof(block));
		ck_assert_uint_eq(spoor_block_checksum(bytes + at), block.extension.checksum);
		if (block.extension.kind == SPOOR_BLOCK_EVENTS)
			blocks[block.extension.sequence % 4096] = at;
		at += (ssize_t)(sizeof(block.header) + block.header.payload_bytes);
	}
	for (int i = 0; i < 4096; i++) {
		struct spoor_slice_info info;
		struct spoor_block block;
		uint8_t *body = bytes + blocks[i] + sizeof(block);

		if (!blocks[i])
			continue;
		memcpy(&block, bytes + blocks[i], sizeof(block));
		memcpy(&info, body, sizeof(info));
		ck_assert_int_eq(spoor_unpack(body + sizeof(info),
					      block.header.payload_bytes - sizeof(block.extension) - sizeof(info),
					      (uint32_t)info.counter, unpacked,
					      (size_t)block.header.event_count, NULL), 0);
		for (int32_t j = 0; j < block.header.event_count; j++, count++)
			ck_assert_uint_eq(unpacked[j] >> 32 & SPOOR_INDEX_MAX, count % 1000);
	}
	return count;
}
