/* SPDX-License-Identifier: MIT */
/* flush.c - sends the request through the pool, and waits for the answer. */
#define _GNU_SOURCE
#include "trace/flush.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "format/clocks.h"
#include "format/drainer_call.h"
#include "event/pool.h"
#include "base/signal_guard.h"
#include "trace/recorder_client.h"
#include "trace/service.h"
#include "trace/trace_state.h"

#define PATIENCE_NS 100000000	/* interval between checks whether the recorder is alive */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* the service thread's lock nests in it */

static int wait_for(struct spoor_pool *pool, uint32_t asked, int64_t timeout_ns)
{
	int64_t deadline_ns = timeout_ns < 0 ? INT64_MAX : spoor_clock_ns(CLOCK_MONOTONIC) + timeout_ns;

	for (;;) {
		uint32_t answered = __atomic_load_n(&pool->answered, __ATOMIC_ACQUIRE);
		int64_t left_ns = deadline_ns - (timeout_ns < 0 ? 0 : spoor_clock_ns(CLOCK_MONOTONIC));
		struct timespec soon = { .tv_nsec = left_ns < PATIENCE_NS ? left_ns : PATIENCE_NS };

		if (answered == asked)
			return pool->answer;
		if (left_ns <= 0)
			return -ETIMEDOUT;
		if (!spoor_trace_is_drained_here() && spoor_recorder_is_gone(pool))
			return -EPIPE;
		syscall(SYS_futex, &pool->answered, FUTEX_WAIT, answered, &soon, NULL, 0);
	}
}

int spoor_flush_request(enum spoor_pool_wish wish, int64_t timeout_ns)
{
	struct spoor_signal_guard quiet;
	struct spoor_pool *pool;
	uint32_t asked;
	int error;

	if (!spoor_trace_is_ours() || !spoor_pool)
		return 0;
	/* Blocks cancellation, too: a thread must not be cancelled while it holds the lock. */
	spoor_signal_guard_begin(&quiet);
	pthread_mutex_lock(&lock);
	pool = spoor_pool;
	pool->wanted = wish;
	asked = __atomic_add_fetch(&pool->asked, 1, __ATOMIC_RELEASE);
	if (spoor_trace_is_drained_here()) {
		spoor_service_drain();
		error = wait_for(pool, asked, 0);
	} else {
		spoor_drainer_call(pool);
		error = wait_for(pool, asked, timeout_ns);
	}
	pthread_mutex_unlock(&lock);
	spoor_signal_guard_end(&quiet);
	return error;
}

void spoor_flush_forget(void)
{
	pthread_mutex_init(&lock, NULL);
}
