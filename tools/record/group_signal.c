/* SPDX-License-Identifier: MIT */
/* group_signal.c - runs a process in the same process group, which shows whether a signal was sent to the group. */
#define _GNU_SOURCE
#include "record/group_signal.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SENDING_US 2000	/* in which a signal reaches all processes of a group */

/* Runs in the child. The recorder's threads do not exist there, so only system calls are safe. */
static void stand_by(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "spoor-witness");
	close_range(0, ~0u, 0);
	while (getppid() == parent)
		pause();
	_exit(0);
}

void group_signal_begin(struct group_signal *witness)
{
	pid_t parent = getpid();

	witness->process_id = fork();
	if (witness->process_id == 0)
		stand_by(parent);
}

/* Returns the signals that are pending in the witness. */
static uint64_t pending_in(const struct group_signal *witness)
{
	uint64_t pending = 0;
	char path[64], line[128];
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)witness->process_id);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "ShdPnd: %" SCNx64, &pending) == 1)
			break;
	if (status)
		fclose(status);
	return pending;
}

/*
 * Replaces the witness, in which signals stay pending, so that the next ones can be seen. The new one
 * starts before the old one ends, so that no signal is missed.
 * @known: signals that were handled
 */
static void replace(struct group_signal *witness, uint64_t known)
{
	uint64_t news;

	do {
		struct group_signal next = { 0 };

		group_signal_begin(&next);
		news = pending_in(witness) & ~known;
		witness->seen |= news;
		group_signal_end(witness);
		witness->process_id = next.process_id;
		/* The new signals may be pending in both witnesses. */
		known = news;
	} while (news && witness->process_id > 0);
}

bool group_signal_saw(struct group_signal *witness, int signal_number)
{
	uint64_t pending, bit = 1ull << (signal_number - 1);

	if (witness->seen & bit) {
		witness->seen &= ~bit;
		return true;
	}
	if (witness->process_id <= 0)
		return false;
	usleep(SENDING_US);
	pending = pending_in(witness);
	if (!(pending & bit))
		return false;
	witness->seen |= pending & ~bit;
	replace(witness, pending);
	return true;
}

void group_signal_end(struct group_signal *witness)
{
	if (witness->process_id <= 0)
		return;
	kill(witness->process_id, SIGKILL);
	while (waitpid(witness->process_id, NULL, 0) < 0 && errno == EINTR)
		;
	witness->process_id = 0;
}
