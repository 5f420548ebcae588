/* SPDX-License-Identifier: MIT */
/* kept_state.c - passes on what a process keeps at execve(2) and a child does not get at fork(2). */
#include "record/kept_state.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const enum __itimer_which which[] = { ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF };
#define TIMERS (sizeof(which) / sizeof(*which))

void kept_state_take(struct kept_state *state)
{
	const struct itimerval stopped = { 0 };

	for (size_t i = 0; i < TIMERS; i++)
		setitimer(which[i], &stopped, &state->timers[i]);
	sigpending(&state->pending);
	state->death_signal = 0;
	prctl(PR_GET_PDEATHSIG, &state->death_signal);
}

void kept_state_give(const struct kept_state *state)
{
	for (int number = 1; number < NSIG; number++)
		if (sigismember(&state->pending, number) == 1)
			syscall(SYS_kill, getpid(), number);
	if (state->death_signal)
		prctl(PR_SET_PDEATHSIG, state->death_signal);
	for (size_t i = 0; i < TIMERS; i++)
		if (state->timers[i].it_value.tv_sec || state->timers[i].it_value.tv_usec)
			setitimer(which[i], &state->timers[i], NULL);
}
