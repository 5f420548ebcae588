/* SPDX-License-Identifier: MIT */
/* pool.c - whoever is free takes the next job. */
#include "pool.h"

#include <pthread.h>
#include <stdatomic.h>

struct pool {
	pool_job *job;
	void *context;
	size_t count;
	atomic_size_t next;
};

struct worker {
	struct pool *pool;
	unsigned int number;
	pthread_t thread;
};

static void *worker_main(void *argument)
{
	struct worker *worker = argument;
	struct pool *pool = worker->pool;
	size_t job;

	while ((job = atomic_fetch_add(&pool->next, 1)) < pool->count)
		pool->job(pool->context, worker->number, job);
	return NULL;
}

int pool_run(pool_job *job, void *context, size_t count)
{
	struct pool pool = {.job = job, .context = context, .count = count};
	struct worker workers[POOL_THREADS];
	unsigned int started;
	int error = 0;

	for (started = 0; started < POOL_THREADS; started++) {
		workers[started] = (struct worker){.pool = &pool, .number = started};
		error = pthread_create(&workers[started].thread, NULL, worker_main, &workers[started]);
		if (error)
			break;
	}
	for (unsigned int i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	return -error;
}
