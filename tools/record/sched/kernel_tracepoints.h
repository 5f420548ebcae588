/* SPDX-License-Identifier: MIT */
/*
 * kernel_tracepoints.h - opens tracepoints of the kernel for a thread, and decodes their samples.
 *
 * All need CAP_PERFMON, and access to /sys/kernel/tracing, where the kernel describes their data.
 */
#ifndef SPOOR_TOOLS_RECORD_KERNEL_TRACEPOINTS_H
#define SPOOR_TOOLS_RECORD_KERNEL_TRACEPOINTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/sched/perf_records.h"

enum kernel_tracepoint {
	KERNEL_WAKING,	/* the thread wakes another one */
	KERNEL_SWITCH,	/* the thread leaves the processor */
	KERNEL_CALL_BEGIN,	/* the thread begins a system call, */
	KERNEL_CALL_END,	/* or ends one; a new thread ends one without a begin */
	KERNEL_TRACEPOINT_COUNT,
};

/* Opens a tracepoint for a thread on one processor. Returns a descriptor or a negative errno. */
int kernel_tracepoint_open(enum kernel_tracepoint tracepoint, pid_t thread_id, int processor);

/*
 * kernel_tracepoint_decode - decodes a sample of any of these tracepoints.
 * @record:  with its header
 * @decoded: its change has the sample's identity, and receives what the tracepoint adds, or its call receives
 *           all
 *
 * Returns PERF_NOTHING if there is nothing to record: the thread woke none, or an interrupt did; or the
 * thread could have run on.
 */
enum perf_record kernel_tracepoint_decode(const uint8_t *record, size_t bytes, struct perf_decoded *decoded);

#endif
