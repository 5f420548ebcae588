/* SPDX-License-Identifier: MIT */
/*
 * root_calls.h - the calls that were open in a thread when its calls began to be recorded.
 *
 * Which thread's they are is settled once, when all slices of the process are known.
 * One that has no slice is then a thread of the process as well: what it waits in is
 * all that is known of it.
 */
#ifndef SPOOR_READER_ROOTS_H
#define SPOOR_READER_ROOTS_H

#include "reader/files/process.h"

struct thread_roots {
	const struct thread_roots *next;	/* of the same thread, later */
	uint32_t thread_id, thread_serial;	/* as in struct spoor_roots */
	uint64_t counter;
	bool cut;			/* there were others around them, which are not known */
	uint32_t count;			/* at least one */
	struct spoor_root list[];	/* the outermost first */
};

/* roots_read - those of a block. Return: 0, -EBADMSG, or -ENOMEM. */
int roots_read(const struct block *block, struct thread_roots **roots);

/* roots_settle - gives each to its thread. Before thread_index_finish. Return: 0 or -ENOMEM. */
int roots_settle(struct process *process);

#endif
