/* SPDX-License-Identifier: MIT */
/*
 * count_format.h - the layout of the counters of mode 'count' in shared memory.
 *
 * They are a file in the process's folder of the trace, which outlives the process however it ends.
 *
 *   offset 0                   struct spoor_count_header
 *   SPOOR_COUNT_LANES_OFFSET   lane 0, lane 1, ...: a counter for each dense index
 *
 * The number of calls of a function is the sum of its counters in all lanes. Threads share lane 0 and
 * add to it atomically. Each other lane belongs to one thread at a time; the next owner goes on with
 * its counters. The file is sparse: a lane has memory only for functions that were patched.
 */
#ifndef SPOOR_COUNT_FORMAT_H
#define SPOOR_COUNT_FORMAT_H

#include <stdint.h>

#define SPOOR_COUNTS_FILE "counts.spoor"
#define SPOOR_COUNT_MAGIC 0x31746e6372707073ull	/* "spprcnt1" */
#define SPOOR_COUNT_LANES_MAX 64u
#define SPOOR_COUNT_INDEXES (1u << 22)	/* dense indexes below this have a counter */
#define SPOOR_COUNT_LANE_BYTES ((uint64_t)SPOOR_COUNT_INDEXES * 8)
#define SPOOR_COUNT_LANES_OFFSET 4096u

struct spoor_count_header {
	uint64_t magic;
	uint32_t version;	/* SPOOR_TRACE_VERSION */
	uint32_t indexes;	/* SPOOR_COUNT_INDEXES */
	uint64_t session_id;
	uint32_t process_id;
	uint32_t lanes;		/* number of lanes used so far, with lane 0 */
	uint64_t lost;		/* calls from threads that could not be identified as threads of the process */
};

static inline uint64_t spoor_count_offset(uint32_t lane, uint32_t index)
{
	return SPOOR_COUNT_LANES_OFFSET + lane * SPOOR_COUNT_LANE_BYTES + (uint64_t)index * 8;
}

#endif
