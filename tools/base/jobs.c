/* SPDX-License-Identifier: MIT */
/* jobs.c - decides how many processors spoor uses to read a trace. */
#include "base/jobs.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/number_text.h"

/* Reading fewer words takes less time than to start and to join two threads. */
#define FEW_WORDS 16384u

/* Returns the number in SPOOR_JOBS, or 0 if the variable is unset. */
static uint64_t requested_jobs(void)
{
	const char *text = getenv("SPOOR_JOBS");
	uint64_t number = 0;

	return text && number_text_parse(text, 1, UINT32_MAX, &number) ? number : 0;
}

int jobs_check(void)
{
	const char *text = getenv("SPOOR_JOBS");

	if (text && !requested_jobs())
		return message_usage("SPOOR_JOBS: '%s' is not a number of processors: use a number from 1", text);
	return 0;
}

size_t jobs_count(void)
{
	uint64_t asked = requested_jobs();
	cpu_set_t allowed;

	if (asked)
		return asked;
	/* The call fails if the machine has more processors than the set has room for. */
	return sched_getaffinity(0, sizeof(allowed), &allowed) ? CPU_SETSIZE : (size_t)CPU_COUNT(&allowed);
}

bool jobs_are_worth(uint64_t words)
{
	uint64_t asked = requested_jobs();

	return jobs_count() > 1 && (asked || words >= FEW_WORDS);
}

int jobs_thread_begin(pthread_t *thread, void *(*work)(void *), void *context)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(thread, NULL, work, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}
