/* SPDX-License-Identifier: MIT */
/*
 * sched_writer.h - writes changes and system calls of threads to the file sched.spoor of a trace.
 *
 * Collects the changes of each thread, and writes a block when it has enough of them, or the thread has
 * ended.
 */
#ifndef SPOOR_TOOLS_RECORD_SCHED_WRITER_H
#define SPOOR_TOOLS_RECORD_SCHED_WRITER_H

#include "format/system_call_format.h"
#include "reader/files/map64.h"
#include "record/sched/perf_rings.h"

struct sched_thread;

#define SCHED_THREAD_ENDED UINT32_MAX	/* a map has no value of 0 */

struct sched_writer {
	int fd;
	int error;			/* errno of the first failed write; 0: none */
	uint64_t bytes;			/* written so far */
	uint64_t session_id;
	struct map64 thread_at;		/* position + 1 in `threads`, by the kernel's ID; SCHED_THREAD_ENDED */
	struct sched_thread **threads;	/* of running threads; null: unused */
	size_t count, capacity;
	uint32_t *unused;		/* positions of unused elements */
	size_t unused_count;
	uint64_t changes, lost;
	uint64_t calls, lost_calls;	/* begins and ends of system calls */
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

/* Adds the begin or the end of a system call, or counts it as lost. */
void sched_writer_call(struct sched_writer *writer, const struct perf_call *call);

/* Writes what a descriptor of a process refers to. */
void sched_writer_target(struct sched_writer *writer, uint32_t process_id, const struct spoor_sched_target *target,
			 const char *name);

/* Writes names of system calls, as system_call_format.h describes. */
void sched_writer_names(struct sched_writer *writer, const void *names, size_t bytes);

/* Count lost changes, and lost begins and ends of system calls. */
void sched_writer_lose(struct sched_writer *writer, uint64_t changes, uint64_t time_ns);
void sched_writer_lose_calls(struct sched_writer *writer, uint64_t calls, uint64_t time_ns);

/* Writes the rest and frees everything. The counters stay valid. */
void sched_writer_end(struct sched_writer *writer);

#endif
