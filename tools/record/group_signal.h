/* SPDX-License-Identifier: MIT */
/*
 * group_signal.h - distinguishes a signal to the whole process group from a signal to this process
 * only.
 *
 * The witness is a child process in the same group that blocks all signals and does nothing. A signal
 * to the group is pending in the witness as well, and has already reached the program.
 */
#ifndef SPOOR_TOOLS_RECORD_GROUP_SIGNAL_H
#define SPOOR_TOOLS_RECORD_GROUP_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct group_signal {
	pid_t process_id;	/* of the witness; 0 or less: there is none, and no signal is seen */
	uint64_t seen;		/* signals that earlier witnesses saw and no call has asked for, one bit each */
};

/* Starts the witness. The caller blocks the signals in question before. */
void group_signal_begin(struct group_signal *witness);

/* Returns whether a signal that arrived here was sent to the group. */
bool group_signal_saw(struct group_signal *witness, int signal_number);

void group_signal_end(struct group_signal *witness);

#endif
