/* SPDX-License-Identifier: MIT */
/* perf_events.h - opens the kernel's events of a thread on one processor. */
#ifndef SPOOR_TOOLS_RECORD_PERF_EVENTS_H
#define SPOOR_TOOLS_RECORD_PERF_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PERF_RING_BYTES (256u * 1024)	/* of 64 KiB, fast switches lost 6 % */
#define PERF_TRACEPOINT_RING_BYTES (1024u * 1024)	/* with samples of tracepoints, which are three times as long as a switch */
#define PERF_CALL_RING_BYTES (2048u * 1024)	/* 12,000 system calls */

/* The end of each record of these events, and the begin of a sample. */
struct perf_identity {
	uint32_t process_id, thread_id;
	uint64_t time_ns;
	uint32_t processor, reserved;
};

/*
 * perf_open_switches - opens an event for switches and page faults, which threads and children that begin
 * later inherit.
 * @with_kernel: also page faults in the kernel, which needs CAP_PERFMON
 *
 * Returns a descriptor or a negative errno.
 */
int perf_open_switches(pid_t thread_id, int processor, bool with_kernel);

/* The same for a tracepoint of the kernel, whose data are part of each sample; needs CAP_PERFMON.
 * @ring_bytes: size of its ring */
int perf_open_tracepoint(uint32_t number, pid_t thread_id, int processor, uint32_t ring_bytes);

#endif
