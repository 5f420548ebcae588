/* SPDX-License-Identifier: MIT */
/*
 * fuzz_drain.c - drains a pool from a hostile process. Slice infos and words are any bytes.
 * The drainer must write only blocks that can be unpacked.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/block.h"
#include "drain/drain.h"
#include "format/packing.h"
#include "format/trigger_condition.h"
#include "format/trigger_format.h"

#define SLICES 4u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_blocks(int fd, uint64_t file_bytes)
{
	static uint64_t words[SPOOR_SLICE_WORDS];
	static struct spoor_value_model values;
	uint8_t *file = malloc(file_bytes);

	if (pread(fd, file, file_bytes, 0) != (ssize_t)file_bytes)
		abort();
	for (uint64_t at = 0; at < file_bytes;) {
		struct spoor_slice_info info;
		struct spoor_block block;
		uint8_t *body = file + at + sizeof(block);

		memcpy(&block, file + at, sizeof(block));
		if (spoor_block_checksum(file + at) != block.extension.checksum)
			abort();
		if (block.extension.kind == SPOOR_BLOCK_EVENTS) {
			bool has_values = block.header.compression == SPOOR_COMPRESSION_VALUES;

			memcpy(&info, body, sizeof(info));
			if (spoor_unpack(body + sizeof(info),
					 block.header.payload_bytes - sizeof(block.extension) - sizeof(info),
					 (uint32_t)info.counter, words, (size_t)block.header.event_count,
					 has_values ? &values : NULL) < 0)
				abort();
		}
		at += sizeof(block.header) + block.header.payload_bytes;
	}
	free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int pool_fd = memfd_create("pool", 0), fd = memfd_create("events", 0);
	struct spoor_pool *pool;
	struct spoor_drain *drain;
	char *memory;
	size_t used = 0;

	if (ftruncate(pool_fd, (off_t)spoor_pool_bytes(SLICES)) < 0)
		abort();
	memory = mmap(NULL, spoor_pool_bytes(SLICES), PROT_READ | PROT_WRITE, MAP_SHARED, pool_fd, 0);
	pool = (struct spoor_pool *)memory;
	pool->slice_count = SLICES;
	/* The trigger watches every function, whatever the pool says. */
	spoor_pool_trigger(pool)->limit_ns = 1000;
	spoor_pool_trigger(pool)->most = 5;
	spoor_pool_trigger(pool)->range_count = size % 3;
	spoor_pool_trigger(pool)->ranges[0].end = spoor_pool_trigger(pool)->ranges[1].end = 1u << 20;
	pool->ring = size % 2;
	/* The condition of the trigger is any bytes, or empty. */
	if (size % 4 >= 2)
		memcpy(spoor_pool_condition(pool), bytes, size < sizeof(struct spoor_trigger_condition) ? size : sizeof(struct spoor_trigger_condition));
	if (spoor_drain_begin(&drain, &(struct spoor_drain_options){ .pool = pool, .fd = fd }) < 0)
		abort();

	/* The input has the bitmaps, the infos, then the slices. */
#define TAKE(to, most)                                                            \
	do {                                                                      \
		size_t bytes_ = size - used < (most) ? size - used : (most);      \
		memcpy(to, bytes + used, bytes_);                                 \
		used += bytes_;                                                   \
	} while (0)
	TAKE(pool->free, 1u);
	TAKE(pool->full, 1u);
	TAKE(memory + SPOOR_POOL_INFOS_OFFSET, SLICES * sizeof(struct spoor_slice_info));
	for (uint32_t slice = 0; slice < SLICES; slice++)
		TAKE(memory + spoor_pool_slice_offset(slice), (size_t)SPOOR_SLICE_BYTES);
	/* The end of the input is layouts, too. */
	if (size % 2) {
		size_t layout_bytes = size < SPOOR_LAYOUTS_BYTES ? size : SPOOR_LAYOUTS_BYTES;

		memcpy(spoor_pool_layouts(pool)->bytes, bytes + size - layout_bytes, layout_bytes);
		spoor_pool_layouts(pool)->used = (uint32_t)size;
	}
	pool->slice_count = UINT32_MAX;	/* the value was valid when the pool was received */
	spoor_drain_run(drain, 0);
	spoor_drain_run(drain, SPOOR_DRAIN_FINAL);
	check_blocks(fd, spoor_drain_totals(drain).file_bytes);

	spoor_drain_end(drain);
	munmap(memory, spoor_pool_bytes(SLICES));
	close(pool_fd);
	close(fd);
	return 0;
}
