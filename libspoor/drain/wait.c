/* SPDX-License-Identifier: MIT */
/* wait.c - how long a drainer sleeps, and what wakes it. */
#define _GNU_SOURCE
#include "drain/drain.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "format/clocks.h"
#include "format/mailbox.h"

#define POSTPONED_NS 20000000
#define RATE_NS 100000000
#define KEEP_NS 5000000		/* between looks after a call that took too long */
#define STUCK_NS 200000000	/* until a full disk is tried again */

/* Whether the two looks at the clocks by which a killed process's events are dated are too near
 * for a rate. */
static bool has_no_rate(const struct spoor_drain *drain)
{
	const struct spoor_pool *pool = drain->pool;
	/* The pool may be a stranger's. */
	uint64_t latest_ns = (uint64_t)__atomic_load_n(&pool->latest.steady_ns, __ATOMIC_RELAXED);

	return !drain->counter_is_clock && latest_ns - (uint64_t)pool->begin.steady_ns < RATE_NS;
}

/* How long to sleep at most; 0: until somebody calls. */
static int64_t wait_ns(const struct spoor_drain *drain, uint32_t postponed)
{
	int64_t most = postponed || drain->restless ? POSTPONED_NS : 0;
	int64_t watch = drain->watch ? spoor_watch_interval_ns(drain->watch) : 0;

	if (drain->keep_until_ns && (!watch || watch > KEEP_NS))
		watch = KEEP_NS;
	return most && (!watch || watch > most) ? most : watch;
}

/*
 * Until somebody calls, the leader has ended, or @soon_ns, if any, are over. Return: an errno, or 0; ENOSYS
 * where the kernel cannot wait for two words (before Linux 5.16), or a filter of system calls may end
 * whoever asks for that.
 */
static int sleep_beside_leader(struct spoor_drain *drain, int64_t soon_ns)
{
	int64_t until_ns = soon_ns ? spoor_clock_ns(CLOCK_MONOTONIC) + soon_ns : 0;
	struct timespec until = { until_ns / 1000000000, until_ns % 1000000000 };
	struct futex_waitv words[] = {
		{ .val = 1, .uaddr = (uintptr_t)&drain->pool->wake, .flags = FUTEX_32 },
		{ .val = drain->leader_id, .uaddr = (uintptr_t)drain->leader, .flags = FUTEX_32 },
	};

	if (prctl(PR_GET_SECCOMP) != 0)
		return ENOSYS;
	return syscall(SYS_futex_waitv, words, 2, 0, soon_ns ? &until : NULL, CLOCK_MONOTONIC) < 0 ? errno : 0;
}

/* The same where there is no leader, or no way to look at it. */
static int sleep_until_called(struct spoor_drain *drain, int64_t soon_ns)
{
	struct timespec soon = { soon_ns / 1000000000, soon_ns % 1000000000 };
	int error = drain->leader ? sleep_beside_leader(drain, soon_ns) : ENOSYS;

	if (error != ENOSYS)
		return error;
	return syscall(SYS_futex, &drain->pool->wake, FUTEX_WAIT, 1, soon_ns ? &soon : NULL, NULL, 0) < 0 ? errno : 0;
}

bool spoor_drain_wait(struct spoor_drain *drain)
{
	struct spoor_pool *pool = drain->pool;
	/* Another thread may be draining at the process's end. */
	uint32_t postponed = __atomic_load_n(&drain->postponed, __ATOMIC_RELAXED);
	int64_t soon_ns = wait_ns(drain, postponed);
	bool for_clocks = !soon_ns && has_no_rate(drain);

	/* Every dropped event would wake us for nothing. */
	if (__atomic_load_n(&drain->stuck, __ATOMIC_RELAXED)) {
		nanosleep(&(struct timespec){ .tv_nsec = STUCK_NS }, NULL);
		return true;
	}
	__atomic_store_n(&pool->wake, 1, __ATOMIC_RELAXED);
	/* Pairs with the fence between a retired slice's bit and the look at `wake`,
	 * and with that of spoor_drain_wake. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_exchange_n(&drain->woken, false, __ATOMIC_ACQUIRE) ||
	    (!pool->ring && __atomic_load_n(&pool->full_count, __ATOMIC_RELAXED) >= pool->low_water + postponed) ||
	    __atomic_load_n(&pool->asked, __ATOMIC_RELAXED) != drain->answered ||
	    __atomic_load_n(&pool->posted, __ATOMIC_RELAXED) != __atomic_load_n(&drain->posted, __ATOMIC_RELAXED) ||
	    spoor_mailbox_has_mail(spoor_pool_mailbox(pool), drain->mail)) {
		__atomic_store_n(&pool->wake, 0, __ATOMIC_RELAXED);
		return true;
	}
	return sleep_until_called(drain, for_clocks ? RATE_NS : soon_ns) != ETIMEDOUT || !for_clocks;
}

void spoor_drain_wake(struct spoor_drain *drain)
{
	/* For a drainer that is awake still, and about to wait. */
	__atomic_store_n(&drain->woken, true, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&drain->pool->wake, 0, __ATOMIC_RELAXED);
	syscall(SYS_futex, &drain->pool->wake, FUTEX_WAKE, 1, NULL, NULL, 0);
}
