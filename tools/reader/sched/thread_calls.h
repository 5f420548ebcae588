/* SPDX-License-Identifier: MIT */
/*
 * thread_calls.h - the system calls of a thread, from the file sched.spoor of a trace
 * (system_call_format.h).
 *
 * Invariants
 *   I1  Calls do not overlap, and are sorted by time.
 *   I2  A call without an end in the trace has the end UINT64_MAX: the thread or the recording ended in it, or
 *       its end was lost.
 */
#ifndef SPOOR_READER_THREAD_CALLS_H
#define SPOOR_READER_THREAD_CALLS_H

#include "reader/sched/sched_file.h"

struct process;

struct thread_call {
	uint64_t begin_ns, end_ns;
	uint64_t argument;		/* the first one */
	int64_t result;			/* if it has an end */
	int32_t number;
};

struct thread_calls {
	struct thread_call *list;
	size_t count;
	struct sched_file *file;
	int64_t process_id;		/* as in the file; 0: unknown */
	uint64_t shift_ns;		/* that was added to the times */
	/* Variables of locks that were looked up. */
	struct map64 variable_at;	/* position + 1 in `variables`, by address */
	char **variables;		/* null: none */
	size_t variable_count, variable_room;
};

/*
 * thread_calls_read - reads the system calls of a thread. Several threads may call it.
 * @calls:     freed before; zeroed by the caller the first time
 * @thread_id: the kernel's
 * @shift_ns:  is added to all times
 *
 * Returns 0, also for an unknown thread; or -ENOMEM.
 */
int thread_calls_read(struct thread_calls *calls, struct sched_file *file, uint32_t thread_id, uint64_t shift_ns);

/* The same for a thread as the reader numbers threads, and with its process's shift; none without a file. */
int thread_calls_load(struct thread_calls *calls, const struct process *process, uint32_t thread_id);
void thread_calls_free(struct thread_calls *calls);

#define THREAD_CALL_NAME_MAX 64u

/* Returns the name of a system call. @buffer: room for the name of an unknown one */
const char *thread_call_name(const struct sched_file *file, int32_t number, char buffer[THREAD_CALL_NAME_MAX]);

/* Returns whether the result is an error. */
bool thread_call_has_failed(const struct thread_call *call);

/* Returns enum spoor_sched_name_flags of a system call. */
uint8_t thread_call_flags(const struct sched_file *file, int32_t number);

/* Returns what the descriptor of a system call refers to, owned by the file; null: unknown, or it takes none. */
const char *thread_call_target(const struct thread_calls *calls, const struct thread_call *call);

/* Writes a descriptor as "3", or "AT_FDCWD". Returns @text. */
const char *thread_call_descriptor(uint64_t descriptor, char text[THREAD_CALL_NAME_MAX]);

#define THREAD_CALL_TEXT_MAX 512u

/* Writes a call as "read(3 /file) = 4096", or "read(3)" if its end and the file are unknown. */
void thread_call_text(struct thread_calls *calls, const struct thread_call *call, const struct process *process,
		      char text[THREAD_CALL_TEXT_MAX]);

/*
 * thread_call_place - returns the time in a call that decides between which events the call is shown. It is near
 * the end, because the waits in the call come first.
 */
uint64_t thread_call_place(const struct thread_call *call);

/* Returns the call around a time, or null. */
const struct thread_call *thread_calls_find(const struct thread_calls *calls, uint64_t time_ns);

#endif
