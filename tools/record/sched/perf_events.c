/* SPDX-License-Identifier: MIT */
/*
 * perf_events.c - opens the kernel's events for switches and page faults of a thread.
 *
 * A software event that counts nothing carries the records of switches. Page faults are samples. All
 * records end with process, thread, time and processor.
 */
#include "record/sched/perf_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
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
	};
}

int perf_open_switches(pid_t thread_id, int processor, bool with_kernel)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_SW_DUMMY, with_kernel);

	attr.context_switch = 1;
	attr.task = 1;
	attr.wakeup_watermark = PERF_RING_BYTES / 2;
	return open_event(&attr, thread_id, processor);
}

int perf_open_faults(pid_t thread_id, int processor, bool with_kernel)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_SW_PAGE_FAULTS, with_kernel);

	attr.sample_period = 1;
	attr.wakeup_watermark = PERF_RING_BYTES / 2;
	return open_event(&attr, thread_id, processor);
}
