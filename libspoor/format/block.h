/* SPDX-License-Identifier: MIT */
/* block.h - writes and checks header and checksum of a block of a trace file (trace_format.h). */
#ifndef SPOOR_BLOCK_H
#define SPOOR_BLOCK_H

#include <stddef.h>

#include "format/pool_format.h"

/* The fields of a block's header that the caller provides. */
struct spoor_block_facts {
	enum spoor_block_kind kind;
	uint64_t session_id;
	uint32_t process_id, thread_id;
	uint64_t sequence;
	uint32_t event_count;
	enum spoor_compression compression;
	uint16_t flags;
	struct spoor_clocks clocks;
};

/*
 * spoor_block_seal - writes header and checksum of a block whose body is complete.
 * @block: struct spoor_block, aligned or not, followed by the body
 *
 * Return: the size of the whole block in bytes.
 */
size_t spoor_block_seal(void *block, size_t body_bytes, const struct spoor_block_facts *facts);

/* Returns the correct checksum for a block, whose body follows its header. */
uint32_t spoor_block_checksum(const void *block);

#endif
