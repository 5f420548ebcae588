/* SPDX-License-Identifier: MIT */
/*
 * timeline.h - the processes of one trace or of several, in the order in which they began,
 * on one line of time.
 *
 * What ran since one boot of one machine has one CLOCK_MONOTONIC. Where there are several
 * boots, times are those of the one that is the oldest; the others' are moved there by
 * CLOCK_REALTIME, which is as right as the machines' clocks agree. A boot is moved as a
 * whole, by the clocks of its first process: later steps of its CLOCK_REALTIME part nothing.
 *
 * A process that does not say where it ran did so where others of its trace did; where
 * no process of a trace says it, that trace is taken for a boot of its own.
 *
 * Invariants
 *   I1  the processes of the first machine, and their threads, have the kernel's numbers;
 *       those of another one, or in another name space of process IDs, have TIMELINE_IDS
 *       more, those of a third twice that: no two that ran at the same time are called the
 *       same. (TIMELINE_MACHINES; then it begins anew, which is said.) What is given twice
 *       is there once.
 *   I2  no time is moved back, so that none gets negative.
 */
#ifndef SPOOR_READER_TIMELINE_H
#define SPOOR_READER_TIMELINE_H

#include "reader/files/trace_reader.h"

/* More processes than a Linux kernel has numbers for: PID_MAX_LIMIT. */
#define TIMELINE_IDS (1u << 22)
/* As many fit in a thread's number. */
#define TIMELINE_MACHINES (UINT32_MAX / TIMELINE_IDS + 1)

/* Or a name space of process IDs on one, such as a container's. */
struct timeline_machine {
	char *boot, *namespace;		/* of process IDs; null: not known */
	int64_t begin_ns;		/* CLOCK_MONOTONIC, of the earliest process */
	int64_t realtime_ns;		/* CLOCK_REALTIME less CLOCK_MONOTONIC then */
	uint64_t shift_ns;
};

struct timeline_process {
	struct trace *trace;
	size_t number;			/* in it */
	uint32_t machine;
	int64_t begin_ns;		/* on the timeline */
	uint64_t session_id;
	int64_t process_id;		/* on its machine */
	bool has_ids;			/* those two are known */
};

struct timeline {
	struct trace *traces;
	size_t trace_count;
	struct symbol_cache symbols;	/* all traces' */
	struct timeline_machine *machines;
	size_t machine_count;
	struct timeline_process *processes;
	size_t count;
	size_t unopened;		/* traces that could not be */
	uint64_t session_id;
	bool has_session, sessions_differ;
};

/*
 * timeline_open - opens the traces at @paths.
 *
 * Says what is wrong, and notes where they are of several sessions. Return: 0 where one
 * of them is open, or a negative errno: that of the first one that cannot be opened, or
 * -ENOMEM, -EMFILE and -ENFILE where that is why one cannot be.
 */
int timeline_open(struct timeline *timeline, const char *const *paths, size_t count, bool demangle);
void timeline_close(struct timeline *timeline);

/* When the first of its processes began; 0 where that is not known. */
uint64_t timeline_begin_ns(const struct timeline *timeline);

/* As process_open. */
int timeline_open_process(struct timeline *timeline, size_t number, struct process *process);

#endif
