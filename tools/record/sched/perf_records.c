/* SPDX-License-Identifier: MIT */
/* perf_records.c - decodes records of switches, page faults, tracepoints, and begins and ends of threads. */
#include "record/sched/perf_records.h"

#include <linux/perf_event.h>
#include <string.h>

#include "record/sched/kernel_tracepoints.h"
#include "record/sched/perf_events.h"

static void set_identity(struct perf_change *change, const uint8_t *at)
{
	struct perf_identity identity;

	memcpy(&identity, at, sizeof(identity));
	*change = (struct perf_change){
		.time_ns = identity.time_ns, .process_id = identity.process_id, .thread_id = identity.thread_id,
		.processor = identity.processor,
	};
}

static enum perf_record decode_sample(const uint8_t *record, size_t bytes, struct perf_decoded *decoded)
{
	const size_t whole = sizeof(struct perf_event_header) + sizeof(struct perf_identity);

	/* In a sample, the identity comes first. */
	set_identity(&decoded->change, record + sizeof(struct perf_event_header));
	if (bytes > whole)
		return kernel_tracepoint_decode(record, bytes, decoded);
	decoded->change.kind = SPOOR_SCHED_FAULT;
	return PERF_CHANGE;
}

enum perf_record perf_record_decode(const uint8_t *record, size_t bytes, struct perf_decoded *decoded)
{
	struct perf_change *change = &decoded->change;
	struct perf_event_header header;

	if (bytes < sizeof(header) + sizeof(struct perf_identity))
		return PERF_NOTHING;
	memcpy(&header, record, sizeof(header));
	set_identity(change, record + bytes - sizeof(struct perf_identity));
	switch (header.type) {
	case PERF_RECORD_SWITCH:
		change->kind = !(header.misc & PERF_RECORD_MISC_SWITCH_OUT) ? SPOOR_SCHED_IN :
			       header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? SPOOR_SCHED_PREEMPTED : SPOOR_SCHED_OUT;
		return PERF_CHANGE;
	case PERF_RECORD_SAMPLE:
		return decode_sample(record, bytes, decoded);
	case PERF_RECORD_FORK:
		/* u32 process, parent, thread, parent's thread; u64 time */
		memcpy(&change->thread_id, record + sizeof(header) + 2 * sizeof(uint32_t), sizeof(uint32_t));
		return PERF_BEGUN;
	case PERF_RECORD_EXIT:
		/* u32 process, parent, thread, parent's thread; u64 time */
		memcpy(&change->process_id, record + sizeof(header), sizeof(uint32_t));
		memcpy(&change->thread_id, record + sizeof(header) + 2 * sizeof(uint32_t), sizeof(uint32_t));
		change->kind = SPOOR_SCHED_ENDED;
		return PERF_CHANGE;
	case PERF_RECORD_LOST:
		/* u64 event, lost */
		memcpy(&decoded->lost, record + sizeof(header) + sizeof(uint64_t), sizeof(decoded->lost));
		return PERF_LOST;
	default:
		return PERF_NOTHING;
	}
}
