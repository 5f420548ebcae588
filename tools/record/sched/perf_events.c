/* SPDX-License-Identifier: MIT */
/*
 * perf_events.c - opens the kernel's events of a thread.
 *
 * One event has page faults as samples, and carries the records of switches: a second event would double
 * what a new thread costs. All records end with process, thread, time and processor.
 */
#include "record/sched/perf_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

static int open_event(const struct perf_event_attr *attr, pid_t thread_id, int processor)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, thread_id, processor, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static struct perf_event_attr event_attr(uint64_t config, bool with_kernel)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(struct perf_event_attr), .config = config,
		.sample_type = SAMPLE_TYPE, .sample_id_all = 1, .inherit = 1, .exclude_kernel = !with_kernel,
		.exclude_hv = 1, .use_clockid = 1, .clockid = CLOCK_MONOTONIC, .watermark = 1,
		.wakeup_watermark = PERF_RING_BYTES / 2, .sample_period = 1,
	};
}

int perf_open_switches(pid_t thread_id, int processor, bool with_kernel)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_SW_PAGE_FAULTS, with_kernel);

	attr.context_switch = 1;
	attr.task = 1;
	return open_event(&attr, thread_id, processor);
}

int perf_open_tracepoint(uint32_t number, pid_t thread_id, int processor, uint32_t ring_bytes)
{
	struct perf_event_attr attr = event_attr(number, true);

	attr.type = PERF_TYPE_TRACEPOINT;
	attr.sample_type |= PERF_SAMPLE_RAW;
	attr.wakeup_watermark = ring_bytes / 4;
	return open_event(&attr, thread_id, processor);
}
