/* SPDX-License-Identifier: MIT */
/* block.h - seals and checks the blocks of a trace file (trace_format.h). */
#ifndef SPOOR_BLOCK_H
#define SPOOR_BLOCK_H

#include <stddef.h>

#include "format/pool_format.h"

/* What the caller knows of a block; the rest follows from it. */
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
 * spoor_block_seal - writes header and checksum in front of a body.
 * @block: room for struct spoor_block, aligned or not; the body stands behind it already
 *
 * Return: the whole block's size in bytes.
 */
size_t spoor_block_seal(void *block, size_t body_bytes, const struct spoor_block_facts *facts);

/* The checksum that the block ought to have; its body stands behind it. */
uint32_t spoor_block_checksum(const void *block);

#endif
