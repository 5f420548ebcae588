/* SPDX-License-Identifier: MIT */
/*
 * perf_rings.h - lets the kernel report when a process's threads leave and get a processor, their page faults
 * and their system calls.
 *
 * There is one ring for each processor, and a second one for system calls. The events are inherited: threads and children
 * that begin later are reported too. The kernel does not report a program that it gave other rights
 * (set-user-ID).
 */
#ifndef SPOOR_TOOLS_RECORD_PERF_RINGS_H
#define SPOOR_TOOLS_RECORD_PERF_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/sched_format.h"

struct perf_rings;

struct perf_change {
	uint64_t time_ns;	/* CLOCK_MONOTONIC */
	uint32_t process_id, thread_id;
	uint32_t processor;
	enum spoor_sched_kind kind;
	uint32_t waker;		/* of SPOOR_SCHED_WAKING: the thread that woke thread_id */
	char state;		/* of SPOOR_SCHED_STATE: its letter */
};

/* The begin or the end of a system call. */
struct perf_call {
	uint64_t time_ns;	/* CLOCK_MONOTONIC */
	uint32_t process_id, thread_id;
	int32_t number;
	bool is_end;
	uint64_t value;		/* of a begin, the first argument; of an end, the result */
};

/* The reason why the kernel refuses. */
struct perf_refusal {
	const char *call;	/* the system call that failed */
	int error;		/* errno */
};

/* Which threads to record; all threads that they start later are recorded in any case. */
enum perf_threads {
	PERF_ONE_THREAD,	/* the process has one thread, */
	PERF_ALL_THREADS,	/* or several, which may start others meanwhile */
};

/*
 * perf_rings_open - begins to record changes of a process.
 * @begin:   flags has the kinds of changes that need CAP_PERFMON and are wanted; receives the begin, and
 *           the recorded kinds
 * @refusal: receives the reason if a negative errno is returned
 */
int perf_rings_open(struct perf_rings **rings, pid_t process_id, enum perf_threads threads,
		    struct spoor_sched_begin *begin, struct perf_refusal *refusal);
void perf_rings_close(struct perf_rings *rings);

/* Waits until a ring is half full, @stop_fd becomes readable, or the time is over. Returns whether @stop_fd is
 * readable. */
bool perf_rings_wait(struct perf_rings *rings, int stop_fd, int timeout_ms);

/* What the rings had. Valid until they are read again. */
struct perf_taken {
	const struct perf_change *changes;	/* changes of one thread have the order of time */
	size_t change_count;
	const struct perf_call *calls;		/* calls of one processor have the order of time */
	size_t call_count;
	uint64_t lost, lost_calls;		/* changes and calls for which there was no memory */
};

/* Takes all available changes and system calls. */
void perf_rings_take(struct perf_rings *rings, struct perf_taken *taken);

#endif
