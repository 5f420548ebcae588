/* SPDX-License-Identifier: MIT */
/*
 * sched_file.h - finds the changes of each thread in the file sched.spoor of a trace (sched_format.h).
 */
#ifndef SPOOR_READER_SCHED_FILE_H
#define SPOOR_READER_SCHED_FILE_H

#include <pthread.h>
#include <stdbool.h>

#include "format/system_call_format.h"
#include "reader/files/block_file.h"
#include "reader/files/map64.h"

/* The blocks of one thread form a list. */
struct sched_place {
	uint64_t offset;
	uint32_t next;		/* position + 1 in `places`; 0: the last one */
};

/* A block about a descriptor of a process. */
struct sched_target_place {
	uint64_t offset;
	int64_t process_id;
};

struct sched_thread_places {
	uint32_t first, last;	/* positions + 1 in `places` */
	uint32_t thread_id;
	int64_t process_id;	/* the first one, if the kernel gave the ID to several threads */
	bool is_reused;		/* ... and several processes */
	uint64_t words;
	uint64_t waits;
	uint64_t call_blocks;
};

/* The name of a system call. */
struct sched_name {
	char *text;		/* null: unknown */
	uint8_t flags;		/* enum spoor_sched_name_flags */
};

struct sched_file {
	bool is_read;			/* sched_file_open was called */
	bool is_there;
	bool damaged;
	struct block_file blocks;
	struct spoor_sched_begin begin;
	uint64_t changes, lost, waits;	/* of all threads */
	uint64_t lost_calls;		/* begins and ends of system calls */
	struct sched_name *names;	/* of system calls, by number */
	size_t name_count;
	struct sched_target_place *targets;	/* blocks of descriptors */
	size_t target_count, target_room;
	struct call_targets *descriptors;	/* of processes (call_targets.h), owned: a list */
	pthread_mutex_t descriptors_lock;	/* of the list; nests outside of `lock` */
	bool losses_are_told;		/* set by a command that shows them once for all processes */
	struct map64 thread_at;		/* position + 1 in `threads`, by the kernel's ID */
	struct sched_thread_places *threads;
	size_t thread_count, thread_room;
	struct sched_place *places;
	size_t place_count, place_room;
	pthread_mutex_t lock;		/* held while a thread's blocks are read */
};

/* One change of a thread, with its own time. */
struct sched_change {
	uint64_t time_ns;		/* CLOCK_MONOTONIC */
	uint16_t processor;
	uint8_t kind;			/* enum spoor_sched_kind */
	char state;			/* of SPOOR_SCHED_STATE: a printable letter */
	uint32_t waker;			/* of SPOOR_SCHED_WAKING: the kernel's ID of the waking thread; 0: unknown */
};

/* What a thread was waiting for, at some time between two times. */
struct sched_wait {
	uint64_t begin_ns, end_ns;	/* CLOCK_MONOTONIC */
	uint64_t argument;
	bool is_descriptor;		/* the argument is one */
	char *name;			/* of the system call; "" outside of system calls, and if unknown */
	char *target;			/* what the descriptor refers to; "" if unknown. Part of `name` */
	char *variable;			/* of a futex, owned; null: unknown, or not sought */
};

/*
 * sched_file_open - finds the file in the directory of a trace, or in the directory around it, and reads
 * it once. Writes a message about damage.
 *
 * Returns 0, also if there is no file; or -ENOMEM.
 */
int sched_file_open(struct sched_file *file, int directory, const char *path);
void sched_file_close(struct sched_file *file);

/* Returns whether there is a file in the directory of a trace, or around it. */
bool sched_file_exists(const char *path);

/*
 * sched_file_load - reads all changes of a thread, sorted by time. Several threads may call it.
 * @thread_id: the kernel's
 * @changes:   receives an array, which the caller frees
 *
 * Returns the number of changes, 0 for a thread that the file does not have, or a negative errno.
 */
long sched_file_load(struct sched_file *file, uint32_t thread_id, struct sched_change **changes);

/*
 * sched_file_load_waits - reads what a thread waited for, sorted by time. Several threads may call it.
 * @waits: receives an array; the caller frees it and each name
 *
 * Returns the number of waits, or a negative errno.
 */
long sched_file_load_waits(struct sched_file *file, uint32_t thread_id, struct sched_wait **waits);

#endif
