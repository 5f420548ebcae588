/* SPDX-License-Identifier: MIT */
/*
 * library_locks.c - threads that take locks: own ones in an order by chance, and one that all share. No sleds.
 *
 * Prints the order of each thread's locks, as "THREAD lock ADDRESS" or "THREAD unlock ADDRESS", then what the threads
 * computed under the locks: "result NUMBER".
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 4
#define LOCKS 16
#define STEPS 2000

struct worker {
	long thread_id;
	pthread_mutex_t locks[LOCKS];
	uint64_t sums[LOCKS];
	uint8_t order[STEPS];
	uint32_t seed;
};

static struct worker workers[THREADS];
static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static uint64_t total;

static void *work(void *argument)
{
	struct worker *worker = argument;

	worker->thread_id = syscall(SYS_gettid);
	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t lock;

		worker->seed = worker->seed * 1103515245 + 12345;
		lock = worker->seed >> 16 & (LOCKS - 1);
		worker->order[i] = (uint8_t)lock;
		pthread_mutex_lock(&worker->locks[lock]);
		worker->sums[lock] = worker->sums[lock] * 31 + i;
		if (i % 16 == 0) {
			pthread_mutex_lock(&shared);
			total += i;
			pthread_mutex_unlock(&shared);
		}
		pthread_mutex_unlock(&worker->locks[lock]);
	}
	return NULL;
}

static void print_order(const struct worker *worker)
{
	for (uint32_t i = 0; i < STEPS; i++) {
		const void *lock = &worker->locks[worker->order[i]];

		printf("%ld lock %p\n", worker->thread_id, lock);
		if (i % 16 == 0)
			printf("%ld lock %p\n%ld unlock %p\n", worker->thread_id, (void *)&shared, worker->thread_id, (void *)&shared);
		printf("%ld unlock %p\n", worker->thread_id, lock);
	}
}

int main(void)
{
	pthread_t threads[THREADS];
	uint64_t result;

	for (uint32_t i = 0; i < THREADS; i++) {
		workers[i].seed = i + 1;
		for (uint32_t lock = 0; lock < LOCKS; lock++)
			pthread_mutex_init(&workers[i].locks[lock], NULL);
		if (pthread_create(&threads[i], NULL, work, &workers[i]))
			return 1;
	}
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	result = total;
	for (uint32_t i = 0; i < THREADS; i++) {
		print_order(&workers[i]);
		for (uint32_t lock = 0; lock < LOCKS; lock++)
			result = result * 31 + workers[i].sums[lock];
	}
	printf("result %llu\n", (unsigned long long)result);
	return 0;
}
