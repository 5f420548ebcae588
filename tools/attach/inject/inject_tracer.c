/* SPDX-License-Identifier: MIT */
/* inject_tracer.c - runs a tracing thread with all signals blocked and with the caller's messages. */
#include "attach/inject/inject_tracer.h"

#include <pthread.h>
#include <signal.h>

#include "base/message.h"

struct tracer {
	enum inject_purpose purpose;
	void (*work)(void *argument);
	void *argument;
	void (*taker)(const char *text);
};

static void *run_work(void *argument)
{
	const struct tracer *tracer = argument;

	message_divert(tracer->taker);
	inject_notice_begin(tracer->purpose);
	tracer->work(tracer->argument);
	return NULL;
}

int inject_tracer_run(enum inject_purpose purpose, void (*work)(void *argument), void *argument)
{
	struct tracer tracer = { purpose, work, argument, message_diverted() };
	sigset_t all, before;
	pthread_t thread;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, NULL, run_work, &tracer);
	if (error == 0)
		pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -error;
}
