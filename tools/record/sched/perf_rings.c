/* SPDX-License-Identifier: MIT */
/*
 * perf_rings.c - opens the rings of each processor for all threads, and reads them.
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
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "reader/files/map64.h"
#include "record/sched/perf_events.h"

#define THREAD_ROUNDS 100	/* a process that always has new threads when we look is given up */
#define RING_BYTES_LEAST (16u * 1024)
/* The end of each record, and all of a sample (perf_events.c). */
struct identity {
	uint32_t process_id, thread_id;
	uint64_t time_ns;
	uint32_t processor, reserved;
};

struct ring {
	int fd, wakings_fd;	/* wakings_fd: -1: none */
	int processor;
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	size_t bytes;
};

struct perf_rings {
	struct ring *list;
	struct pollfd *polled;		/* the stop descriptor, then the rings */
	size_t count;
	size_t page_bytes;
	int *others;			/* events of the second and further threads */
	size_t other_count, other_room;
	struct map64 covered;		/* threads that are recorded: nonzero */
	struct perf_change *changes;
	size_t change_count, room;
	uint64_t lost;
	bool is_open;			/* all threads are recorded */
	bool no_memory;
};

/* Maps the largest ring that the limit of locked memory allows. Returns 0 or a negative errno. */
static int map_ring(struct ring *ring, size_t page_bytes)
{
	void *mapped = MAP_FAILED;

	for (ring->bytes = PERF_RING_BYTES; mapped == MAP_FAILED; ring->bytes /= 2) {
		mapped = mmap(NULL, page_bytes + ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
		if (mapped != MAP_FAILED)
			break;
		if ((errno != EPERM && errno != ENOMEM) || ring->bytes / 2 < RING_BYTES_LEAST)
			return -errno;
	}
	ring->page = mapped;
	ring->data = (const uint8_t *)mapped + page_bytes;
	return 0;
}

static void close_ring(const struct ring *ring, size_t page_bytes)
{
	if (ring->page)
		munmap(ring->page, page_bytes + ring->bytes);
	if (ring->wakings_fd >= 0)
		close(ring->wakings_fd);
	close(ring->fd);
}

/* Opens the events of one processor. Returns 1, 0 if the processor is offline, or a negative errno. */
static int open_processor(struct perf_rings *rings, pid_t process_id, int processor, uint32_t *flags,
			  struct perf_refusal *refusal)
{
	struct ring *ring = &rings->list[rings->count];
	bool with_kernel = *flags & SPOOR_SCHED_HAS_KERNEL_FAULTS;
	int error;

	*ring = (struct ring){ .wakings_fd = -1, .processor = processor };
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
	error = map_ring(ring, rings->page_bytes);
	if (error) {
		close(ring->fd);
		return error;
	}
	rings->count++;
	ring->wakings_fd = *flags & SPOOR_SCHED_HAS_WAKINGS ? perf_open_wakings(process_id, processor) : -1;
	if (ring->wakings_fd < 0 || ioctl(ring->wakings_fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0)
		*flags &= ~(uint32_t)SPOOR_SCHED_HAS_WAKINGS;
	return 1;
}

/* Lets an event of another thread write to the ring. Owns @fd, which may be a negative errno. */
static int add_other(struct perf_rings *rings, const struct ring *ring, int fd)
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

/* Opens the events of a further thread, which write to the same rings. Returns 0, also if the thread has ended, or a
 * negative errno. */
static int open_thread(struct perf_rings *rings, pid_t thread_id, uint32_t flags)
{
	bool with_kernel = flags & SPOOR_SCHED_HAS_KERNEL_FAULTS;

	for (size_t i = 0; i < rings->count; i++) {
		const struct ring *ring = &rings->list[i];
		int error = add_other(rings, ring, perf_open_switches(thread_id, ring->processor, with_kernel));

		if (!error && ring->wakings_fd >= 0)
			error = add_other(rings, ring, perf_open_wakings(thread_id, ring->processor));
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
		if (error || *covered)
			continue;
		*covered = 1;
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
		*first = 1;
	for (int i = 0; opened > 0 && i < THREAD_ROUNDS; i++)
		opened = open_threads(rings, process_id, flags);
	return opened < 0 ? opened : 0;
}

int perf_rings_open(struct perf_rings **result, pid_t process_id, enum perf_threads threads,
		    struct spoor_sched_begin *begin, struct perf_refusal *refusal)
{
	int processors = (int)sysconf(_SC_NPROCESSORS_CONF), got = 1;
	struct perf_rings *rings = calloc(1, sizeof(*rings));
	struct timespec now;

	*refusal = (struct perf_refusal){ .call = "malloc", .error = ENOMEM };
	if (!rings)
		return -ENOMEM;
	rings->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	rings->list = calloc((size_t)processors, sizeof(*rings->list));
	rings->polled = calloc((size_t)processors + 1, sizeof(*rings->polled));
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
	clock_gettime(CLOCK_MONOTONIC, &now);
	begin->begin_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
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
		close_ring(&rings->list[i], rings->page_bytes);
	free(rings->others);
	map64_free(&rings->covered);
	free(rings->list);
	free(rings->polled);
	free(rings->changes);
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
			rings->no_memory = true;
			return;
		}
		rings->changes = changes;
		rings->room = room;
	}
	rings->changes[rings->change_count++] = *change;
}

/* While threads are opened: a thread that a recorded one has started is recorded, too, until it ends. */
static void note_thread(struct perf_rings *rings, uint32_t thread_id, bool is_recorded)
{
	uint32_t *covered = rings->is_open ? NULL : map64_at(&rings->covered, thread_id);

	if (covered)
		*covered = is_recorded;
}

/* @record: a whole record with its header */
static void take_record(struct perf_rings *rings, const uint8_t *record, const struct perf_event_header *header)
{
	struct perf_change change;
	struct identity identity;
	uint64_t lost;

	if (header->size < sizeof(*header) + sizeof(identity))
		return;
	memcpy(&identity, record + header->size - sizeof(identity), sizeof(identity));
	change = (struct perf_change){
		.time_ns = identity.time_ns, .process_id = identity.process_id, .thread_id = identity.thread_id,
		.processor = identity.processor,
	};
	switch (header->type) {
	case PERF_RECORD_SWITCH:
		change.kind = !(header->misc & PERF_RECORD_MISC_SWITCH_OUT) ? SPOOR_SCHED_IN :
			      header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? SPOOR_SCHED_PREEMPTED : SPOOR_SCHED_OUT;
		break;
	case PERF_RECORD_SAMPLE:
		/* In a sample, the identity comes first. */
		memcpy(&identity, record + sizeof(*header), sizeof(identity));
		change.time_ns = identity.time_ns;
		change.process_id = identity.process_id;
		change.thread_id = identity.thread_id;
		change.processor = identity.processor;
		change.kind = SPOOR_SCHED_FAULT;
		if (header->size == sizeof(*header) + sizeof(identity))
			break;
		change.kind = SPOOR_SCHED_WAKING;
		change.waker = change.thread_id;
		change.thread_id = perf_woken_thread(record, header->size);
		break;
	case PERF_RECORD_FORK:
		/* u32 process, parent, thread, parent's thread; u64 time */
		memcpy(&change.thread_id, record + sizeof(*header) + 2 * sizeof(uint32_t), sizeof(uint32_t));
		note_thread(rings, change.thread_id, true);
		return;
	case PERF_RECORD_EXIT:
		/* u32 process, parent, thread, parent's thread; u64 time */
		memcpy(&change.process_id, record + sizeof(*header), sizeof(uint32_t));
		memcpy(&change.thread_id, record + sizeof(*header) + 2 * sizeof(uint32_t), sizeof(uint32_t));
		change.kind = SPOOR_SCHED_ENDED;
		note_thread(rings, change.thread_id, false);
		break;
	case PERF_RECORD_LOST:
		/* u64 event, lost */
		memcpy(&lost, record + sizeof(*header) + sizeof(uint64_t), sizeof(lost));
		rings->lost += lost;
		return;
	default:
		return;
	}
	add_change(rings, &change);
}

static void take_ring(struct perf_rings *rings, const struct ring *ring)
{
	uint8_t whole[512];
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), tail = ring->page->data_tail;

	while (tail < head) {
		struct perf_event_header header;
		size_t at = (size_t)(tail % ring->bytes), first;

		/* Records are aligned to 8 bytes, so a header does not wrap around. */
		memcpy(&header, ring->data + at, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - tail)
			break;
		first = ring->bytes - at < header.size ? ring->bytes - at : header.size;
		if (header.size <= sizeof(whole)) {
			memcpy(whole, ring->data + at, first);
			memcpy(whole + first, ring->data, header.size - first);
			take_record(rings, whole, &header);
		}
		tail += header.size;
	}
	/* Pairs with the kernel's load of data_tail before it overwrites the records. */
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

static void take_rings(struct perf_rings *rings)
{
	for (size_t i = 0; i < rings->count; i++)
		take_ring(rings, &rings->list[i]);
}

static int compare_changes(const void *left, const void *right)
{
	const struct perf_change *a = left, *b = right;

	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

long perf_rings_take(struct perf_rings *rings, const struct perf_change **changes, uint64_t *lost)
{
	long count;

	take_rings(rings);
	if (rings->change_count)
		qsort(rings->changes, rings->change_count, sizeof(*rings->changes), compare_changes);
	*changes = rings->changes;
	*lost = rings->lost;
	count = rings->no_memory ? -ENOMEM : (long)rings->change_count;
	rings->change_count = 0;
	rings->no_memory = false;
	rings->lost = 0;
	return count;
}
