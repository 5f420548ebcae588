/* SPDX-License-Identifier: MIT */
/*
 * group_signal.h - tells a signal to the whole process group from one to this process alone.
 *
 * A process of ours in the same group, which blocks all signals and does nothing: what
 * was sent to the group is pending there as well, and has reached the program already.
 */
#ifndef SPOOR_WITNESS_H
#define SPOOR_WITNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct group_signal {
	pid_t process_id;	/* 0 or less: there is none, and nothing was seen */
	uint64_t seen;		/* signals that earlier ones saw, a bit each, and nobody asked for yet */
};

/* The signals in question are blocked before. */
void group_signal_begin(struct group_signal *witness);

/* Whether a signal that has come here came to the group. */
bool group_signal_saw(struct group_signal *witness, int signal_number);

void group_signal_end(struct group_signal *witness);

#endif
