/* SPDX-License-Identifier: MIT */
/*
 * sched_format.h - the file sched.spoor of a trace: when each thread left and got a processor, and its
 * page faults.
 *
 * `spoor record --sched` writes this file beside the folders of the processes, as blocks
 * (trace_format.h). Readers that do not know the file ignore it. All IDs are the recorder's, and all
 * times are CLOCK_MONOTONIC.
 *
 * A SPOOR_BLOCK_SCHED contains changes of the thread header.thread_id, roughly by time: a reader sorts
 * the changes of a thread. A thread whose first change is SPOOR_SCHED_IN was off the processor before.
 */
#ifndef SPOOR_SCHED_FORMAT_H
#define SPOOR_SCHED_FORMAT_H

#include "format/trace_format.h"

#define SPOOR_SCHED_FILE "sched.spoor"

/* The body of a SPOOR_BLOCK_SCHED_BEGIN, the first block of the file. */
struct spoor_sched_begin {
	uint64_t begin_ns;	/* when recording of the changes began */
	uint32_t flags;		/* enum spoor_sched_flags */
	uint32_t padding;
};

enum spoor_sched_flags {
	SPOOR_SCHED_HAS_FAULTS = 1 << 0,	/* page faults in user code are recorded, */
	SPOOR_SCHED_HAS_KERNEL_FAULTS = 1 << 1,	/* and those in the kernel on the thread's behalf */
	SPOOR_SCHED_HAS_WAKINGS = 1 << 2,	/* threads that wake others are recorded */
	SPOOR_SCHED_HAS_STATES = 1 << 3,	/* states of waiting threads are recorded */
	SPOOR_SCHED_HAS_CALLS = 1 << 4,	/* system calls are recorded (system_call_format.h) */
};

/* The begin of the body of a SPOOR_BLOCK_SCHED. Words follow. */
struct spoor_sched_info {
	uint64_t base_ns;	/* the time that the words count from */
};

/*
 * One change is one word:
 *   bits 0-43   ns since base_ns
 *   bits 44-59  the processor; of a SPOOR_SCHED_STATE, the letter of the state
 *   bits 60-63  enum spoor_sched_kind; 0: the word belongs to the one before
 */
enum spoor_sched_kind {
	SPOOR_SCHED_OUT = 1,		/* left the processor to wait */
	SPOOR_SCHED_PREEMPTED = 2,	/* left the processor and could have run on; also sched_yield(2) */
	SPOOR_SCHED_IN = 3,		/* got a processor */
	SPOOR_SCHED_FAULT = 4,		/* took a page fault */
	SPOOR_SCHED_ENDED = 5,		/* the thread ended */
	SPOOR_SCHED_WAKING = 6,		/* another thread woke it; the next word has the kernel's ID of that thread */
	SPOOR_SCHED_STATE = 7,		/* the state, as in ps(1), in which it leaves the processor; then SPOOR_SCHED_OUT */
};

#define SPOOR_SCHED_TIME_BITS 44
#define SPOOR_SCHED_TIME_MAX ((UINT64_C(1) << SPOOR_SCHED_TIME_BITS) - 1)

static inline uint64_t spoor_sched_word(enum spoor_sched_kind kind, uint32_t processor, uint64_t since_ns)
{
	return (uint64_t)kind << 60 | (uint64_t)(processor & 0xffff) << SPOOR_SCHED_TIME_BITS | since_ns;
}

static inline uint64_t spoor_sched_since(uint64_t word)
{
	return word & SPOOR_SCHED_TIME_MAX;
}

static inline enum spoor_sched_kind spoor_sched_kind_of(uint64_t word)
{
	return (enum spoor_sched_kind)(word >> 60);
}

static inline uint32_t spoor_sched_processor(uint64_t word)
{
	return (uint32_t)(word >> SPOOR_SCHED_TIME_BITS) & 0xffff;
}

/* The body of a SPOOR_BLOCK_SCHED_LOST: changes of unknown threads that are missing. The blocks add up. */
struct spoor_sched_lost {
	uint64_t time_ns;	/* before this time; 0: unknown */
	uint64_t changes;
};

/*
 * The body of a SPOOR_BLOCK_SCHED_WAIT: what a thread was waiting for when the recorder looked, which was
 * between two times. It belongs to a wait that contains both times. The name of the system call and
 * what its descriptor refers to follow, each with NUL; "" if unknown.
 */
struct spoor_sched_wait {
	uint64_t begin_ns, end_ns;
	uint64_t argument;	/* the first one of the system call */
	uint32_t number;	/* of the system call; UINT32_MAX: it was in none, as in a page fault */
	uint32_t flags;		/* enum spoor_sched_wait_flags */
};

enum spoor_sched_wait_flags {
	SPOOR_SCHED_WAIT_DESCRIPTOR = 1 << 0,	/* the argument is a descriptor */
};

/* A block of one thread has at most this many words. */
#define SPOOR_SCHED_WORDS_MAX 512u

#endif
