/* SPDX-License-Identifier: MIT */
/*
 * registry_lock.c - the lock of the registry, and its behaviour during fork.
 *
 * The forking thread holds the lock from its fork handler until fork returns, so that a child
 * finds no half-made change. Meanwhile, fork handlers of libraries that were loaded before this
 * one take locks of those libraries. A thread that holds such a lock may need the registry, in
 * dlopen or at its first event. That thread waits for PATIENCE_NS and then becomes the substitute
 * of the forking thread, which changes nothing in the registry. A child that is created at that
 * moment may see half of a change, as may a child that was not created by libc's fork.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#include "module/registry.h"
#include "event/thread.h"

#define PATIENCE_NS 10000000l	/* most forks are over by then */

#ifdef __SANITIZE_THREAD__
/* The thread sanitizer of GCC 12 does not know pthread_mutex_clocklock, and reports accesses under the lock as
 * races. */
#define PATIENCE_CLOCK CLOCK_REALTIME
#define lock_until(until) pthread_mutex_timedlock(&lock, until)
#else
#define PATIENCE_CLOCK CLOCK_MONOTONIC
#define lock_until(until) pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, until)
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t substitute_lock = PTHREAD_MUTEX_INITIALIZER;	/* of substitutes */
static bool forking;		/* the holder of the lock holds it only for a fork, */
static bool takes_long;		/* ... and another thread has timed out waiting for it */
static int cancel_state, substitute_cancel_state;	/* of the lock's holder, of the substitute */
/* How often the calling thread has the lock: a handler that interrupted the holder may fork. */
static __thread unsigned int held __attribute__((tls_model("initial-exec")));
static __thread bool is_substitute __attribute__((tls_model("initial-exec")));

static bool lock_with_timeout(void)
{
	struct timespec until;

	clock_gettime(PATIENCE_CLOCK, &until);
	until.tv_nsec += PATIENCE_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	return lock_until(&until) == 0;
}

/* Returns when the thread has the lock, or is the substitute of its holder. */
static void acquire(void)
{
	while (pthread_mutex_trylock(&lock) != 0) {
		if (!__atomic_load_n(&takes_long, __ATOMIC_ACQUIRE) && lock_with_timeout())
			return;
		pthread_mutex_lock(&substitute_lock);
		is_substitute = __atomic_load_n(&forking, __ATOMIC_ACQUIRE);
		__atomic_store_n(&takes_long, is_substitute, __ATOMIC_RELEASE);
		if (is_substitute)
			return;
		pthread_mutex_unlock(&substitute_lock);
	}
}

/* In a child: the threads that held the locks do not exist here. */
static void reset_locks(void)
{
	pthread_mutex_init(&lock, NULL);
	pthread_mutex_init(&substitute_lock, NULL);
	forking = takes_long = false;
}

void spoor_registry_lock(void)
{
	int state;

	if (held++ != 0)
		return;
	/* Code under the lock opens and writes files: a thread must not be cancelled there. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	/* If fork was called without libc, the lock's holder may not exist in this child. */
	if (spoor_threads_forked_unseen())
		reset_locks();
	acquire();
	*(is_substitute ? &substitute_cancel_state : &cancel_state) = state;
}

bool spoor_registry_try_lock(void)
{
	int state;

	if (held != 0) {
		held++;
		return true;
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (pthread_mutex_trylock(&lock) != 0) {
		pthread_setcancelstate(state, NULL);
		return false;
	}
	held = 1;
	cancel_state = state;
	return true;
}

void spoor_registry_unlock(void)
{
	int state = is_substitute ? substitute_cancel_state : cancel_state;

	if (--held != 0)
		return;
	pthread_mutex_unlock(is_substitute ? &substitute_lock : &lock);
	is_substitute = false;
	pthread_setcancelstate(state, NULL);
}

bool spoor_registry_is_held(void)
{
	return held != 0;
}

void spoor_registry_fork_begins(void)
{
	spoor_registry_lock();
	/* Only at the outermost level: a handler that forks may have interrupted the holder in a change, or a
	 * waiting thread. */
	if (held == 1 && !is_substitute)
		__atomic_store_n(&forking, true, __ATOMIC_RELEASE);
}

void spoor_registry_fork_ends(bool in_child)
{
	if (in_child) {
		/* The holder of the other lock does not exist in the child. */
		pthread_mutex_init(is_substitute ? &lock : &substitute_lock, NULL);
		forking = takes_long = false;
	} else if (held == 1 && !is_substitute) {
		pthread_mutex_lock(&substitute_lock);
		__atomic_store_n(&forking, false, __ATOMIC_RELEASE);
		__atomic_store_n(&takes_long, false, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&substitute_lock);
	}
	spoor_registry_unlock();
}
