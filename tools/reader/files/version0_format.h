/* SPDX-License-Identifier: MIT */
/*
 * version0_format.h - version 0 of the trace format, which is that of Microsoft's Spoor.
 *
 * A file holds events of one thread: struct spoor_trace_header (version 0, its last field 0), then
 * event_count events, either as they are or all together as one raw Snappy block. A thread writes one
 * file each time its buffer is flushed. A trace has no other files. A file is called
 * SESSION-THREAD-TIME.spoor_trace, each with 16 hexadecimal digits; TIME is CLOCK_MONOTONIC in
 * nanoseconds when the buffer was handed over.
 */
#ifndef SPOOR_VERSION0_FORMAT_H
#define SPOOR_VERSION0_FORMAT_H

#include "format/trace_format.h"

#define SPOOR_VERSION0 0
#define SPOOR_VERSION0_SUFFIX ".spoor_trace"
#define SPOOR_VERSION0_NAME "%016" PRIx64 "-%016" PRIx64 "-%016" PRIx64 SPOOR_VERSION0_SUFFIX

struct spoor_version0_event {
	int64_t steady_ns;
	uint64_t payload_1;	/* the function ID */
	uint32_t type;		/* SPOOR_EVENT_ENTRY, SPOOR_EVENT_EXIT; from 0x80000000 on the program's own */
	uint32_t payload_2;
};

_Static_assert(sizeof(struct spoor_version0_event) == 24, "no padding");

#endif
