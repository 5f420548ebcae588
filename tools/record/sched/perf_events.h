/* SPDX-License-Identifier: MIT */
/* perf_events.h - opens the kernel's events for switches and page faults of a thread on one processor. */
#ifndef SPOOR_TOOLS_RECORD_PERF_EVENTS_H
#define SPOOR_TOOLS_RECORD_PERF_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PERF_RING_BYTES (256u * 1024)	/* of 64 KiB, fast switches lost 6 % */

/*
 * perf_open_switches - opens an event for switches and page faults, which threads and children that begin
 * later inherit.
 * @with_kernel: also page faults in the kernel, which needs CAP_PERFMON
 *
 * Returns a descriptor or a negative errno.
 */
int perf_open_switches(pid_t thread_id, int processor, bool with_kernel);

/* The same for the threads that the thread wakes; needs CAP_PERFMON. */
int perf_open_wakings(pid_t thread_id, int processor);

/* Gets the kernel's ID of the woken thread from a sample of such an event; 0: none, or an
 * interrupt woke it. @record: with its header */
uint32_t perf_woken_thread(const uint8_t *record, size_t bytes);

#endif
