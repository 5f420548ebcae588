/* SPDX-License-Identifier: MIT */
/*
 * root_calls.h - the calls that were open in a thread when recording of its calls began.
 *
 * The roots are assigned to threads once, when all slices of the process are known. A thread
 * without slices but with roots is a thread of the process too: its only known calls are those in which
 * it waits.
 */
#ifndef SPOOR_READER_ROOT_CALLS_H
#define SPOOR_READER_ROOT_CALLS_H

#include "reader/files/process.h"

struct thread_roots {
	const struct thread_roots *next;	/* of the same thread, later */
	uint32_t thread_id, thread_serial;	/* as in struct spoor_roots */
	uint64_t counter;
	bool cut;			/* calls around these are unknown */
	uint32_t count;			/* number of calls, at least one */
	struct spoor_root list[];	/* the outermost first */
};

/* roots_read - reads the roots in a block. Returns 0, -EBADMSG, or -ENOMEM. */
int roots_read(const struct block *block, struct thread_roots **roots);

/* roots_settle - assigns all roots to threads. Called before thread_index_finish. Returns 0 or -ENOMEM. */
int roots_settle(struct process *process);

#endif
