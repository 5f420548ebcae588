/* SPDX-License-Identifier: MIT */
/* block.c - writes header and checksum of a block of a trace file. */
#include "format/block.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

uint32_t spoor_block_checksum(const void *block)
{
	struct spoor_block head;
	XXH3_state_t state;

	memcpy(&head, block, sizeof(head));
	head.extension.checksum = 0;
	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, &head, sizeof(head));
	XXH3_64bits_update(&state, (const char *)block + sizeof(head),
			   head.header.payload_bytes - sizeof(head.extension));
	return (uint32_t)XXH3_64bits_digest(&state);
}

size_t spoor_block_seal(void *block, size_t body_bytes, const struct spoor_block_facts *facts)
{
	struct spoor_block head = {
		.header = {
			.endianness = SPOOR_LITTLE_ENDIAN,
			.compression = facts->compression,
			.version = SPOOR_TRACE_VERSION,
			.session_id = facts->session_id,
			.process_id = facts->process_id,
			.thread_id = facts->thread_id,
			.system_clock_ns = facts->clocks.system_ns,
			.steady_clock_ns = facts->clocks.steady_ns,
			.event_count = (int32_t)facts->event_count,
			.payload_bytes = (uint32_t)(sizeof(head.extension) + body_bytes),
		},
		.extension = {
			.kind = facts->kind,
			.flags = facts->flags,
			.sequence = facts->sequence,
			.counter = facts->clocks.counter,
		},
	};
	memcpy(head.header.magic, SPOOR_TRACE_MAGIC, SPOOR_TRACE_MAGIC_SIZE);
	memcpy(block, &head, sizeof(head));
	head.extension.checksum = spoor_block_checksum(block);
	memcpy(block, &head, sizeof(head));
	return sizeof(head) + body_bytes;
}
