/* SPDX-License-Identifier: MIT */
/*
 * count_format.h - the counts of mode 'count' as shared memory: a file in the process's
 * trace folder, which outlives the process whatever ends that.
 *
 *   offset 0                   struct spoor_count_header
 *   SPOOR_COUNT_LANES_OFFSET   lane 0, lane 1, ...: a counter for each dense index
 *
 * How often a function was called is the sum of its counters in all lanes. Lane 0 is
 * shared by threads and added to atomically, each other one is a thread's while that
 * lives, and goes to the next one with all that it holds. The file is sparse: a lane has
 * memory for what was patched and nothing else.
 */
#ifndef SPOOR_COUNT_FORMAT_H
#define SPOOR_COUNT_FORMAT_H

#include <stdint.h>

#define SPOOR_COUNTS_FILE "counts.spoor"
#define SPOOR_COUNT_MAGIC 0x31746e6372707073ull	/* "spprcnt1" */
#define SPOOR_COUNT_LANES_MAX 64u
#define SPOOR_COUNT_INDEXES (1u << 22)	/* dense indexes from 0 that have a counter */
#define SPOOR_COUNT_LANE_BYTES ((uint64_t)SPOOR_COUNT_INDEXES * 8)
#define SPOOR_COUNT_LANES_OFFSET 4096u

struct spoor_count_header {
	uint64_t magic;
	uint32_t version;	/* SPOOR_TRACE_VERSION */
	uint32_t indexes;	/* SPOOR_COUNT_INDEXES */
	uint64_t session_id;
	uint32_t process_id;
	uint32_t lanes;		/* that were used so far, lane 0 included */
	uint64_t lost;		/* calls of what could not be told to be a thread of the process */
};

static inline uint64_t spoor_count_offset(uint32_t lane, uint32_t index)
{
	return SPOOR_COUNT_LANES_OFFSET + lane * SPOOR_COUNT_LANE_BYTES + (uint64_t)index * 8;
}

#endif
