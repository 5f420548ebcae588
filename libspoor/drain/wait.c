/* SPDX-License-Identifier: MIT */
/* wait.c - how long a drainer sleeps, and what wakes it. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "drain/drain_state.h"
#include "drain/spare_slices.h"
#include "format/clocks.h"
#include "format/drainer_call.h"

#define RATE_NS 100000000
#define KEEP_NS 5000000		/* between looks after a call that took too long */
#define STUCK_NS 200000000	/* until a full disk is tried again */

/* Tells if the two readings of the clocks that give a killed process's events their times are too close to
 * compute the counter's rate. */
static bool has_no_rate(const struct spoor_drain *drain)
{
	const struct spoor_pool *pool = drain->pool;
	/* Unsigned: a foreign process may have stored anything. */
	uint64_t latest_ns = (uint64_t)__atomic_load_n(&pool->latest.steady_ns, __ATOMIC_RELAXED);

	return !drain->counter_is_clock && latest_ns - (uint64_t)pool->begin.steady_ns < RATE_NS;
}

/* Returns how long to sleep at most; 0: until a call. */
static int64_t wait_ns(const struct spoor_drain *drain, bool restless)
{
	/* Another thread may be draining at the process's end. */
	bool postponed = __atomic_load_n(&drain->postponed, __ATOMIC_RELAXED) != 0;
	int64_t most = postponed || restless ? SPOOR_POSTPONED_NS : 0;
	int64_t watch = drain->watch ? spoor_watch_interval_ns(drain->watch) : 0;

	if (drain->keep_until_ns && (!watch || watch > KEEP_NS))
		watch = KEEP_NS;
	if (!most && spoor_drain_has_spare(drain))
		most = SPOOR_SPARE_NS;
	return most && (!watch || watch > most) ? most : watch;
}

/* Sleeps until a call, until the leader ends, or until @soon_ns pass (0: no limit). Returns 0 or an errno;
 * ENOSYS if the kernel cannot wait for two words (before Linux 5.16), or if a filter of system calls might kill
 * the process for trying. */
static int sleep_beside_leader(struct spoor_drain *drain, int64_t soon_ns)
{
	int64_t until_ns = soon_ns ? spoor_clock_ns(CLOCK_MONOTONIC) + soon_ns : 0;
	struct timespec until = { until_ns / 1000000000, until_ns % 1000000000 };
	struct futex_waitv words[] = {
		{ .val = 1, .uaddr = (uintptr_t)&drain->pool->wake, .flags = FUTEX_32 },
		{ .val = drain->options.leader_id, .uaddr = (uintptr_t)drain->options.leader, .flags = FUTEX_32 },
	};

	if (prctl(PR_GET_SECCOMP) != 0)
		return ENOSYS;
	return syscall(SYS_futex_waitv, words, 2, 0, soon_ns ? &until : NULL, CLOCK_MONOTONIC) < 0 ? errno : 0;
}

/* The same if there is no leader, or no way to watch it. */
static int sleep_until_called(struct spoor_drain *drain, int64_t soon_ns)
{
	struct timespec soon = { soon_ns / 1000000000, soon_ns % 1000000000 };
	int error = drain->options.leader ? sleep_beside_leader(drain, soon_ns) : ENOSYS;

	/* The word of a leader that has ended would end every wait. */
	if (drain->options.leader && !__atomic_load_n(drain->options.leader, __ATOMIC_ACQUIRE))
		drain->options.leader = NULL;
	if (error != ENOSYS)
		return error;
	return syscall(SYS_futex, &drain->pool->wake, FUTEX_WAIT, 1, soon_ns ? &soon : NULL, NULL, 0) < 0 ? errno : 0;
}

bool spoor_drain_wait(struct spoor_drain *drain, bool restless)
{
	int64_t soon_ns = wait_ns(drain, restless);
	bool for_clocks = (!soon_ns || soon_ns > RATE_NS) && has_no_rate(drain), called;
	int error = 0;

	/* Otherwise every dropped event would wake the drainer needlessly. */
	if (__atomic_load_n(&drain->stuck, __ATOMIC_RELAXED))
		nanosleep(&(struct timespec){ .tv_nsec = STUCK_NS }, NULL);
	else
		error = sleep_until_called(drain, for_clocks ? RATE_NS : soon_ns);
	called = __atomic_exchange_n(&drain->pool->wake, 1, __ATOMIC_ACQUIRE) != 1;
	/* Before the caller looks for work. Pairs with the fences of spoor_drainer_call and of
	 * spoor_drainer_wake, which are between a request and the caller's access to `wake`. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return called || error != ETIMEDOUT || !for_clocks;
}

void spoor_drain_wake(struct spoor_drain *drain)
{
	spoor_drainer_call(drain->pool);
}
