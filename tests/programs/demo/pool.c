/* SPDX-License-Identifier: MIT */
/* pool.c - four threads take jobs from a shared counter. */
#include "pool.h"

#include <pthread.h>
#include <stdatomic.h>

struct pool {
	pool_job *job;
	void *context;
	size_t count;
	atomic_size_t next;
};

static void *worker_main(void *argument)
{
	struct pool *pool = argument;
	size_t job;

	while ((job = atomic_fetch_add(&pool->next, 1)) < pool->count)
		pool->job(pool->context, job);
	return NULL;
}

int pool_run(pool_job *job, void *context, size_t count)
{
	struct pool pool = {.job = job, .context = context, .count = count};
	pthread_t threads[POOL_THREADS];
	unsigned int started;
	int error = 0;

	for (started = 0; started < POOL_THREADS; started++) {
		error = pthread_create(&threads[started], NULL, worker_main, &pool);
		if (error)
			break;
	}
	for (unsigned int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return -error;
}
