/* SPDX-License-Identifier: MIT */
/*
 * perf_events.c - opens the kernel's events for switches and page faults of a thread.
 *
 * One event has page faults as samples, and carries the records of switches: a second event would double
 * what a new thread costs. All records end with process, thread, time and processor.
 */
#include "record/sched/perf_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
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

#define WAKING "/sys/kernel/tracing/events/sched/sched_waking/"
#define INITIAL_NAMESPACE "pid:[4026531836]"

/* Flags of the tracepoint's data: an interrupt woke the thread, such as a timer's. */
#define FLAGS_OFFSET 2u
#define FLAGS_INTERRUPT 0x18u

/* Offset of the woken thread's ID in the data of the tracepoint; 0: unknown. */
static unsigned int woken_offset;

/* Reads the tracepoint's number, and the place of its field "pid". Returns 0 if that is impossible. */
static unsigned int read_waking_format(void)
{
	static unsigned int number;
	char line[256];
	FILE *file;

	if (woken_offset)
		return number;
	file = fopen(WAKING "format", "re");
	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "ID: %u", &number);
		sscanf(line, " field:pid_t pid; offset:%u;", &woken_offset);
	}
	if (file)
		fclose(file);
	return woken_offset ? number : 0;
}

int perf_open_wakings(pid_t thread_id, int processor)
{
	struct perf_event_attr attr = event_attr(0, true);
	char namespace[64] = "";

	/* The data have IDs of the initial name space, and all other records have ours. */
	if (readlink("/proc/self/ns/pid", namespace, sizeof(namespace) - 1) < 0 || strcmp(namespace, INITIAL_NAMESPACE) != 0)
		return -EOPNOTSUPP;
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = read_waking_format();
	if (!attr.config)
		return -ENOENT;
	attr.sample_type |= PERF_SAMPLE_RAW;
	return open_event(&attr, thread_id, processor);
}

uint32_t perf_woken_thread(const uint8_t *record, size_t bytes)
{
	/* u32 process, thread; u64 time; u32 processor, reserved; u32 size; the data */
	const size_t data = sizeof(struct perf_event_header) + 24 + sizeof(uint32_t);
	uint32_t thread_id = 0;

	if (woken_offset && data + woken_offset + sizeof(thread_id) <= bytes &&
	    !(record[data + FLAGS_OFFSET] & FLAGS_INTERRUPT))
		memcpy(&thread_id, record + data + woken_offset, sizeof(thread_id));
	return thread_id;
}
