/* SPDX-License-Identifier: MIT */
/* pool.h - four threads that share a row of jobs. */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>

enum { POOL_THREADS = 4 };

/* Does job number @job, beside others. */
typedef void pool_job(void *context, size_t job);

/* Runs jobs 0 to @count - 1 and returns when all are done. 0, or a negative errno. */
int pool_run(pool_job *job, void *context, size_t count);

#endif
