/* SPDX-License-Identifier: MIT */
/*
 * sched_writer.h - writes changes of threads to the file sched.spoor of a trace.
 *
 * Collects the changes of each thread, and writes a block when it has enough of them, or the thread has
 * ended.
 */
#ifndef SPOOR_TOOLS_RECORD_SCHED_WRITER_H
#define SPOOR_TOOLS_RECORD_SCHED_WRITER_H

#include "reader/files/map64.h"
#include "record/sched/perf_rings.h"

struct sched_thread;

struct sched_writer {
	int fd;
	int error;			/* errno of the first failed write; 0: none */
	uint64_t bytes;			/* written so far */
	uint64_t session_id;
	struct map64 thread_at;		/* position + 1 in `threads`, by the kernel's ID */
	struct sched_thread **threads;	/* of running threads; null: unused */
	size_t count, capacity;
	uint32_t *unused;		/* positions of unused elements */
	size_t unused_count;
	uint64_t changes, lost;
};

/*
 * sched_writer_begin - creates the file in the directory of a trace.
 *
 * Returns 0 or a negative errno.
 */
int sched_writer_begin(struct sched_writer *writer, const char *trace_path, const struct spoor_sched_begin *begin);

/* Adds a change, or counts it as lost if memory runs out or a write fails. */
void sched_writer_add(struct sched_writer *writer, const struct perf_change *change);

/* Writes what a thread waits for. @name, @target: "" if unknown */
void sched_writer_wait(struct sched_writer *writer, uint32_t process_id, uint32_t thread_id,
		       const struct spoor_sched_wait *wait, const char *name, const char *target);

/* Counts lost changes. */
void sched_writer_lose(struct sched_writer *writer, uint64_t changes, uint64_t time_ns);

/* Writes the rest and frees everything. The counters stay valid. */
void sched_writer_end(struct sched_writer *writer);

#endif
