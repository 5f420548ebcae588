/* SPDX-License-Identifier: MIT */
/* perf_records.h - decodes the records that the kernel writes to the rings of perf_rings.h. */
#ifndef SPOOR_TOOLS_RECORD_PERF_RECORDS_H
#define SPOOR_TOOLS_RECORD_PERF_RECORDS_H

#include "record/sched/perf_rings.h"

enum perf_record {
	PERF_NOTHING,	/* nothing of interest */
	PERF_CHANGE,	/* a change */
	PERF_CALL,	/* the begin or the end of a system call */
	PERF_BEGUN,	/* a thread began: change.thread_id */
	PERF_LOST,	/* records were lost */
};

struct perf_decoded {
	struct perf_change change;
	struct perf_call call;
	uint64_t lost;
};

/* Decodes a whole record with its header. Sets the members of @decoded that the result names. */
enum perf_record perf_record_decode(const uint8_t *record, size_t bytes, struct perf_decoded *decoded);

#endif
