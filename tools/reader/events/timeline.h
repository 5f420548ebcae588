/* SPDX-License-Identifier: MIT */
/*
 * timeline.h - the processes of one or several traces, in the order in which they began, on one
 * timeline.
 *
 * All processes since one boot of a machine share one CLOCK_MONOTONIC. With several boots, times are
 * on the clock of the oldest boot. The times of other boots are shifted there by CLOCK_REALTIME, as
 * exactly as the machines' clocks agree. A boot is shifted as a whole, by the clocks of its first
 * process, so later steps of its CLOCK_REALTIME have no effect.
 *
 * A process that does not record where it ran is assumed to have run on the same machine as other processes of its
 * trace. If no process of a trace records it, the trace counts as a boot.
 *
 * Invariants
 *   I1  Processes and threads of the first machine have the kernel's IDs. On the next machine, or in
 *       the next PID name space, IDs are TIMELINE_IDS higher, on the third twice that. So two threads
 *       that ran at the same time have different IDs. (After TIMELINE_MACHINES the numbers start
 *       again, with a message.) A process that was given twice is there once.
 *   I2  No time is moved back, so no time becomes negative.
 */
#ifndef SPOOR_READER_TIMELINE_H
#define SPOOR_READER_TIMELINE_H

#include "reader/files/trace_reader.h"

/* More than the highest possible process ID of a Linux kernel, PID_MAX_LIMIT. */
#define TIMELINE_IDS (1u << 22)
/* The number of machines whose IDs fit 32 bits. */
#define TIMELINE_MACHINES (UINT32_MAX / TIMELINE_IDS + 1)

/* A machine, or a PID name space on it, such as a container's. */
struct timeline_machine {
	char *boot, *namespace;		/* boot ID and PID name space; null: unknown */
	int64_t begin_ns;		/* CLOCK_MONOTONIC, of the earliest process */
	int64_t realtime_ns;		/* CLOCK_REALTIME minus CLOCK_MONOTONIC at that time */
	uint64_t shift_ns;
};

struct timeline_process {
	struct trace *trace;
	size_t number;			/* in the trace */
	uint32_t machine;
	int64_t begin_ns;		/* on the timeline */
	uint64_t session_id;
	int64_t process_id;		/* on its machine */
	bool has_ids;			/* session_id and process_id are known */
};

struct timeline {
	struct trace *traces;
	size_t trace_count;
	struct symbol_cache symbols;	/* of all traces */
	struct timeline_machine *machines;
	size_t machine_count;
	struct timeline_process *processes;
	size_t count;
	size_t unopened;		/* traces that could not be opened */
	uint64_t session_id;
	bool has_session, sessions_differ;
};

/*
 * timeline_open - opens the traces at @paths.
 *
 * Writes messages about errors, and about traces of different sessions. Returns 0 if at least one of
 * them is open, or the negative errno of the first one that cannot be opened; -ENOMEM, -EMFILE or
 * -ENFILE if one of these errors stopped it.
 */
int timeline_open(struct timeline *timeline, const char *const *paths, size_t count, bool demangle);
void timeline_close(struct timeline *timeline);

/* Returns when the first of the processes began; 0: unknown. */
uint64_t timeline_begin_ns(const struct timeline *timeline);

/* The same as process_open, for process @number. */
int timeline_open_process(struct timeline *timeline, size_t number, struct process *process);

#endif
