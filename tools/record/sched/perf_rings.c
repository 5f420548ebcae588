/* SPDX-License-Identifier: MIT */
/*
 * perf_rings.c - opens the rings of each processor for all threads, and collects what they have.
 *
 * An inherited event can be mapped only if it belongs to one processor. The events of all threads on a
 * processor write to one ring.
 */
#include "record/sched/perf_rings.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "reader/files/map64.h"
#include "record/sched/kernel_tracepoints.h"
#include "record/sched/perf_events.h"
#include "record/sched/perf_records.h"
#include "record/sched/perf_ring.h"
#include "base/system/monotonic.h"

#define THREAD_ROUNDS 100	/* a process that always has new threads when we look is given up */

/* A map has no value of 0. */
enum covered {
	COVERED = 1,	/* the thread is recorded */
	ENDED,		/* ... and has ended */
};

struct perf_rings {
	struct perf_ring *list;
	struct pollfd *polled;		/* the stop descriptor, then the rings */
	size_t count;
	int *others;			/* events that write to the ring of another one */
	size_t other_count, other_room;
	struct map64 covered;		/* enum covered of threads */
	struct perf_change *changes;
	size_t change_count, room;
	struct perf_call *calls;
	size_t call_count, call_room;
	uint64_t lost, lost_calls;
	bool is_open;			/* all threads are recorded */
};

/* Lets a further event write to the ring. Owns @fd, which may be a negative errno. */
static int add_other(struct perf_rings *rings, const struct perf_ring *ring, int fd)
{
	if (fd < 0)
		return fd;
	if (rings->other_count == rings->other_room) {
		size_t room = rings->other_room ? 2 * rings->other_room : 64;
		int *others = reallocarray(rings->others, room, sizeof(*others));

		if (!others) {
			close(fd);
			return -ENOMEM;
		}
		rings->others = others;
		rings->other_room = room;
	}
	rings->others[rings->other_count++] = fd;
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0 ? -errno : 0;
}

/* Opens the tracepoints in @flags for a thread, which write to the ring. Returns 0 or a negative errno, and removes from
 * @flags those that the kernel refuses. */
static int add_tracepoints(struct perf_rings *rings, const struct perf_ring *ring, pid_t thread_id, uint32_t *flags)
{
	static const struct { uint32_t flag; enum kernel_tracepoint tracepoint; } list[] = {
		{ SPOOR_SCHED_HAS_WAKINGS, KERNEL_WAKING }, { SPOOR_SCHED_HAS_STATES, KERNEL_SWITCH },
	};
	int error = 0;

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		int failed = *flags & list[i].flag ?
			add_other(rings, ring, kernel_tracepoint_open(list[i].tracepoint, thread_id, ring->processor)) : 0;

		if (failed < 0) {
			*flags &= ~list[i].flag;
			error = failed;
		}
	}
	return error;
}

/* Opens the system calls of one processor. They have a ring of their own, so that they never displace switches. */
static int open_calls(struct perf_rings *rings, pid_t process_id, int processor)
{
	struct perf_ring *ring = &rings->list[rings->count];
	int error;

	*ring = (struct perf_ring){ .processor = processor, .has_calls = true };
	ring->fd = kernel_tracepoint_open(KERNEL_CALL_BEGIN, process_id, processor);
	if (ring->fd < 0)
		return ring->fd;
	error = perf_ring_map(ring, PERF_CALL_RING_BYTES);
	if (error) {
		close(ring->fd);
		return error;
	}
	rings->count++;
	return add_other(rings, ring, kernel_tracepoint_open(KERNEL_CALL_END, process_id, processor));
}

/* Opens the events of one processor. Returns 1, 0 if the processor is offline, or a negative errno. */
static int open_processor(struct perf_rings *rings, pid_t process_id, int processor, uint32_t *flags,
			  struct perf_refusal *refusal)
{
	struct perf_ring *ring = &rings->list[rings->count];
	bool with_kernel = *flags & SPOOR_SCHED_HAS_KERNEL_FAULTS;
	int error;

	*ring = (struct perf_ring){ .processor = processor };
	ring->fd = perf_open_switches(process_id, processor, with_kernel);
	if (with_kernel && (ring->fd == -EACCES || ring->fd == -EPERM) && !rings->count) {
		with_kernel = false;
		*flags &= ~(uint32_t)SPOOR_SCHED_HAS_KERNEL_FAULTS;
		ring->fd = perf_open_switches(process_id, processor, with_kernel);
	}
	refusal->call = "perf_event_open";
	if (ring->fd < 0)
		return ring->fd == -ENODEV ? 0 : ring->fd;
	refusal->call = "mmap";
	error = perf_ring_map(ring, *flags & (SPOOR_SCHED_HAS_WAKINGS | SPOOR_SCHED_HAS_STATES) ? PERF_TRACEPOINT_RING_BYTES :
				    PERF_RING_BYTES);
	if (error) {
		close(ring->fd);
		return error;
	}
	rings->count++;
	add_tracepoints(rings, ring, process_id, flags);
	if (*flags & SPOOR_SCHED_HAS_CALLS && open_calls(rings, process_id, processor) < 0)
		*flags &= ~(uint32_t)SPOOR_SCHED_HAS_CALLS;
	return 1;
}

/* Opens the events of a further thread, which write to the same rings. Returns 0, also if the thread has ended, or a
 * negative errno. */
static int open_thread(struct perf_rings *rings, pid_t thread_id, uint32_t flags)
{
	bool with_kernel = flags & SPOOR_SCHED_HAS_KERNEL_FAULTS;

	for (size_t i = 0; i < rings->count; i++) {
		const struct perf_ring *ring = &rings->list[i];
		int error = add_other(rings, ring, ring->has_calls ?
				      kernel_tracepoint_open(KERNEL_CALL_BEGIN, thread_id, ring->processor) :
				      perf_open_switches(thread_id, ring->processor, with_kernel));

		if (!error && ring->has_calls)
			error = add_other(rings, ring, kernel_tracepoint_open(KERNEL_CALL_END, thread_id, ring->processor));
		else if (!error)
			error = add_tracepoints(rings, ring, thread_id, &flags);
		if (error)
			return error == -ESRCH ? 0 : error;
	}
	return 0;
}

static void take_rings(struct perf_rings *rings);

/* Opens events for the threads that are not recorded yet. Returns their number, or a negative errno. */
static int open_threads(struct perf_rings *rings, pid_t process_id, uint32_t flags)
{
	char path[64];
	struct dirent *item;
	int opened = 0, error = 0;
	DIR *listing;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)process_id);
	listing = opendir(path);
	if (!listing)
		return -errno;
	while (!error && (item = readdir(listing))) {
		pid_t thread_id = atoi(item->d_name);
		uint32_t *covered;

		if (thread_id <= 0)
			continue;
		/* A recorded thread has reported the threads that it started, and these have inherited its events. */
		take_rings(rings);
		covered = map64_at(&rings->covered, (uint64_t)thread_id);
		if (!covered)
			error = -ENOMEM;
		if (error || *covered == COVERED)
			continue;
		*covered = COVERED;
		error = open_thread(rings, thread_id, flags);
		opened++;
	}
	closedir(listing);
	return error ? error : opened;
}

/* A thread that is not recorded may start others while the list is read, so the list is read until it has no new one. */
static int open_all_threads(struct perf_rings *rings, pid_t process_id, uint32_t flags)
{
	uint32_t *first = map64_at(&rings->covered, (uint64_t)process_id);
	int opened = first ? 1 : -ENOMEM;

	if (first)
		*first = COVERED;
	for (int i = 0; opened > 0 && i < THREAD_ROUNDS; i++)
		opened = open_threads(rings, process_id, flags);
	return opened < 0 ? opened : 0;
}

int perf_rings_open(struct perf_rings **result, pid_t process_id, enum perf_threads threads,
		    struct spoor_sched_begin *begin, struct perf_refusal *refusal)
{
	int processors = (int)sysconf(_SC_NPROCESSORS_CONF), got = 1;
	struct perf_rings *rings = calloc(1, sizeof(*rings));

	*refusal = (struct perf_refusal){ .call = "malloc", .error = ENOMEM };
	if (!rings)
		return -ENOMEM;
	rings->list = calloc(2 * (size_t)processors, sizeof(*rings->list));
	rings->polled = calloc(2 * (size_t)processors + 1, sizeof(*rings->polled));
	if (!rings->list || !rings->polled) {
		perf_rings_close(rings);
		return -ENOMEM;
	}
	begin->flags |= SPOOR_SCHED_HAS_FAULTS | SPOOR_SCHED_HAS_KERNEL_FAULTS;
	for (int i = 0; i < processors && got >= 0; i++)
		got = open_processor(rings, process_id, i, &begin->flags, refusal);
	if (got >= 0 && !rings->count)
		got = -ENODEV;
	if (got >= 0 && threads == PERF_ALL_THREADS) {
		refusal->call = "perf_event_open";
		got = open_all_threads(rings, process_id, begin->flags);
	}
	if (got < 0) {
		refusal->error = -got;
		perf_rings_close(rings);
		return got;
	}
	for (size_t i = 0; i < rings->count; i++)
		rings->polled[i + 1] = (struct pollfd){ .fd = rings->list[i].fd, .events = POLLIN };
	begin->begin_ns = (uint64_t)monotonic_ns();
	rings->is_open = true;
	*result = rings;
	return 0;
}

void perf_rings_close(struct perf_rings *rings)
{
	if (!rings)
		return;
	for (size_t i = 0; i < rings->other_count; i++)
		close(rings->others[i]);
	for (size_t i = 0; i < rings->count; i++)
		perf_ring_close(&rings->list[i]);
	free(rings->others);
	map64_free(&rings->covered);
	free(rings->list);
	free(rings->polled);
	free(rings->changes);
	free(rings->calls);
	free(rings);
}

bool perf_rings_wait(struct perf_rings *rings, int stop_fd, int timeout_ms)
{
	rings->polled[0] = (struct pollfd){ .fd = stop_fd, .events = POLLIN };
	if (poll(rings->polled, rings->count + 1, timeout_ms) < 0)
		return false;
	/* The kernel reports a ring as hung up when the last thread has ended. Polling the ring would no longer wait. */
	for (size_t i = 1; i <= rings->count; i++)
		if (rings->polled[i].revents & (POLLHUP | POLLERR))
			rings->polled[i].fd = -1;
	return rings->polled[0].revents & POLLIN;
}

static void add_change(struct perf_rings *rings, const struct perf_change *change)
{
	if (rings->change_count == rings->room) {
		size_t room = rings->room ? 2 * rings->room : 4096;
		struct perf_change *changes = reallocarray(rings->changes, room, sizeof(*changes));

		if (!changes) {
			rings->lost++;
			return;
		}
		rings->changes = changes;
		rings->room = room;
	}
	rings->changes[rings->change_count++] = *change;
}

static void add_call(struct perf_rings *rings, const struct perf_call *call)
{
	if (rings->call_count == rings->call_room) {
		size_t room = rings->call_room ? 2 * rings->call_room : 4096;
		struct perf_call *calls = reallocarray(rings->calls, room, sizeof(*calls));

		if (!calls) {
			rings->lost_calls++;
			return;
		}
		rings->calls = calls;
		rings->call_room = room;
	}
	rings->calls[rings->call_count++] = *call;
}

/* While threads are opened: a thread that a recorded one has started is recorded, too, until it ends. */
static void note_thread(struct perf_rings *rings, uint32_t thread_id, bool is_recorded)
{
	uint32_t *covered = rings->is_open ? NULL : map64_at(&rings->covered, thread_id);

	if (covered)
		*covered = is_recorded ? COVERED : ENDED;
}

/* @record: with its header */
static void take_record(void *context, const struct perf_ring *ring, const uint8_t *record, size_t bytes)
{
	struct perf_rings *rings = context;
	struct perf_decoded decoded;

	switch (perf_record_decode(record, bytes, &decoded)) {
	case PERF_CHANGE:
		if (decoded.change.kind == SPOOR_SCHED_ENDED)
			note_thread(rings, decoded.change.thread_id, false);
		add_change(rings, &decoded.change);
		break;
	case PERF_BEGUN:
		note_thread(rings, decoded.change.thread_id, true);
		break;
	case PERF_CALL:
		add_call(rings, &decoded.call);
		break;
	case PERF_LOST:
		*(ring->has_calls ? &rings->lost_calls : &rings->lost) += decoded.lost;
		break;
	case PERF_NOTHING:
		break;
	}
}

static void take_rings(struct perf_rings *rings)
{
	for (size_t i = 0; i < rings->count; i++)
		perf_ring_read(&rings->list[i], take_record, rings);
}

static int compare_changes(const void *left, const void *right)
{
	const struct perf_change *a = left, *b = right;

	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

void perf_rings_take(struct perf_rings *rings, struct perf_taken *taken)
{
	take_rings(rings);
	if (rings->change_count)
		qsort(rings->changes, rings->change_count, sizeof(*rings->changes), compare_changes);
	*taken = (struct perf_taken){
		.changes = rings->changes, .change_count = rings->change_count, .lost = rings->lost,
		.calls = rings->calls, .call_count = rings->call_count, .lost_calls = rings->lost_calls,
	};
	rings->change_count = rings->call_count = 0;
	rings->lost = rings->lost_calls = 0;
}
