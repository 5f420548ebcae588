/* SPDX-License-Identifier: MIT */
/* pool.h - runs a number of jobs on four threads. */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>

enum { POOL_THREADS = 4 };

/* Does job number @job. Other jobs run at the same time. */
typedef void pool_job(void *context, size_t job);

/* Runs jobs 0 to @count - 1 and waits for all of them. Returns 0, or a negative errno. */
int pool_run(pool_job *job, void *context, size_t count);

#endif
