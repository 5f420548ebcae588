/* SPDX-License-Identifier: MIT */
/*
 * system_call_format.h - the system calls of threads in the file sched.spoor (sched_format.h).
 *
 * A SPOOR_BLOCK_SCHED_CALLS has begins and ends of system calls of the thread header.thread_id, roughly by
 * time: a reader sorts them. Its body is a struct spoor_sched_info, then entries of three LEB128 each, about
 * 9 bytes:
 *   1. (number + 1) << 1 | is_end. The number is -1 for the end of rt_sigreturn(2).
 *   2. The zigzag of the ns since the entry before it in the block. The first one counts from base_ns.
 *   3. The first argument of a begin, or the zigzag of the result of an end.
 * A thread that was started by a system call has an end of its own without a begin.
 *
 * A SPOOR_BLOCK_SCHED_NAMES has the names of the numbers, for readers on other architectures: for each, 2 bytes
 * with the number, 1 byte with enum spoor_sched_name_flags, and the name with NUL.
 *
 * The body of a SPOOR_BLOCK_SCHED_CALLS_LOST is a struct spoor_sched_lost: begins and ends that are missing.
 */
#ifndef SPOOR_SYSTEM_CALL_FORMAT_H
#define SPOOR_SYSTEM_CALL_FORMAT_H

#include <stdbool.h>

#include "format/sched_format.h"

enum spoor_sched_name_flags {
	SPOOR_SCHED_NAME_DESCRIPTOR = 1 << 0,	/* the first argument is a descriptor */
	SPOOR_SCHED_NAME_BARE = 1 << 1,		/* it has no argument */
	SPOOR_SCHED_NAME_MAKES = 1 << 2,	/* the result is a descriptor, new or replaced */
	SPOOR_SCHED_NAME_CLOSES = 1 << 3,	/* the first argument is a descriptor that ends */
	SPOOR_SCHED_NAME_CLOSES_ALL = 1 << 4,	/* if it succeeds, any descriptor may end */
};

/*
 * The begin of the body of a SPOOR_BLOCK_SCHED_TARGET: what a descriptor of the process referred to when the recorder
 * looked, which was between two times. A name with NUL follows. It is valid until a system call of the process
 * changes the descriptor.
 */
struct spoor_sched_target {
	uint64_t begin_ns, end_ns;
	int32_t descriptor;
	uint32_t padding;
};

#define SPOOR_SCHED_NAME_HEAD 3u		/* bytes before a name */

/* The entries of a block have at most this many bytes. */
#define SPOOR_SCHED_CALLS_MAX 4096u
#define SPOOR_SCHED_CALL_MAX 30u		/* bytes of an entry */

static inline uint64_t spoor_zigzag(int64_t number)
{
	return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

static inline int64_t spoor_unzigzag(uint64_t number)
{
	return (int64_t)(number >> 1 ^ -(number & 1));
}

/* Stores a LEB128 and returns the place after it. */
static inline uint8_t *spoor_leb128_put(uint8_t *at, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*at++ = (uint8_t)(number | 0x80);
	*at++ = (uint8_t)number;
	return at;
}

/* Reads a LEB128 at @at and moves @at after it. Returns false if it does not end before @end or has more than 64 bits. */
static inline bool spoor_leb128_get(const uint8_t **at, const uint8_t *end, uint64_t *number)
{
	*number = 0;
	for (unsigned int shift = 0; *at < end && shift < 64; shift += 7) {
		uint8_t byte = *(*at)++;

		*number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

#endif
