/* SPDX-License-Identifier: MIT */
/* inject_thread.h - one stopped thread, for inject.c and inject_search.c alone. */
#ifndef SPOOR_TOOLS_INJECT_THREAD_H
#define SPOOR_TOOLS_INJECT_THREAD_H

#include "inject_registers.h"
#include "target.h"

#define STOP_PATIENCE_NS 200000000

struct inject {
	pid_t pid, thread;
	bool stopped;
	int signal;		/* what it goes on with */
	bool stop_wanted;	/* somebody has sent SIGSTOP meanwhile */
	struct inject_registers saved;
	uint64_t mask;
	/* In the process: */
	uint64_t system_call;	/* the instruction */
	uint64_t code, memory;	/* 0: not mapped */
	uint64_t errno_at;
	int errno_was;
};

int64_t inject_now_ns(void);

/*
 * inject_stop - stops the running thread where the kernel looks at signals: there alone it
 * looks at interrupted system calls too. From a stop in a system call as well.
 */
int inject_stop(struct inject *inject, int64_t patience_ns);

/* The thread is stopped and saved: makes it ours. */
int inject_take(struct inject *inject, const struct target *target);

/* Whether locks that the coming calls take can be had: -ETIMEDOUT where not. */
int inject_try_locks(struct inject *inject, const struct target *target);

/* All as it was, and the thread goes on. */
void inject_put_back(struct inject *inject);
void inject_let_go(struct inject *inject);

#endif
