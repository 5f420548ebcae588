/* SPDX-License-Identifier: MIT */
/* witness.c - a process that signals to the group reach, too. */
#define _GNU_SOURCE
#include "witness.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SENDING_US 2000	/* in which a signal has come to all of a group */

/* In the witness: threads of the recorder's are not there, so system calls alone. */
static void stand_by(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "spoor-witness");
	close_range(0, ~0u, 0);
	while (getppid() == parent)
		pause();
	_exit(0);
}

void witness_begin(struct witness *witness)
{
	pid_t parent = getpid();

	witness->process_id = fork();
	if (witness->process_id == 0)
		stand_by(parent);
}

bool witness_saw(struct witness *witness, int signal_number)
{
	uint64_t pending = 0, bit = 1ull << (signal_number - 1);
	char path[64], line[128];
	FILE *status;

	if (witness->seen & bit) {
		witness->seen &= ~bit;
		return true;
	}
	if (witness->process_id <= 0)
		return false;
	usleep(SENDING_US);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)witness->process_id);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "ShdPnd: %" SCNx64, &pending) == 1)
			break;
	if (status)
		fclose(status);
	if (!(pending & bit))
		return false;
	/* They go on pending there: the next ones are another witness's to see. */
	witness->seen |= pending & ~bit;
	witness_end(witness);
	witness_begin(witness);
	return true;
}

void witness_end(struct witness *witness)
{
	if (witness->process_id <= 0)
		return;
	kill(witness->process_id, SIGKILL);
	while (waitpid(witness->process_id, NULL, 0) < 0 && errno == EINTR)
		;
	witness->process_id = 0;
}
