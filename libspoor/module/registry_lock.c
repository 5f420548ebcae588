/* SPDX-License-Identifier: MIT */
/*
 * registry_lock.c - one thread at a time changes the registry.
 *
 * Who forks has the lock from its handler on until fork returns, so that a child finds nothing half
 * done. Meanwhile handlers of libraries that were loaded before this one take locks of theirs, and who has
 * one of those may come here, by dlopen or with its first event: it waits for a moment, and then stands in
 * for the thread that forks, which changes nothing. A child of that moment may have half of a change, as
 * may one that was not made by libc's fork.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#include "module/registry.h"
#include "event/thread.h"

#define PATIENCE_NS 10000000l	/* most forks are over by then */

#ifdef __SANITIZE_THREAD__
/* GCC 12's sees no pthread_mutex_clocklock, and takes what holds the lock for a race. */
#define PATIENCE_CLOCK CLOCK_REALTIME
#define lock_until(until) pthread_mutex_timedlock(&lock, until)
#else
#define PATIENCE_CLOCK CLOCK_MONOTONIC
#define lock_until(until) pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, until)
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t in_place = PTHREAD_MUTEX_INITIALIZER;	/* of who forks */
static bool forking;		/* who has the lock does nothing but fork, */
static bool takes_long;		/* and somebody has waited for that in vain */
static int cancel_state, cancel_state_in_place;	/* the holders' */
/* How often the calling thread has it: a handler that interrupted the holder may fork. */
static __thread unsigned int held __attribute__((tls_model("initial-exec")));
static __thread bool stands_in __attribute__((tls_model("initial-exec")));

static bool lock_in_time(void)
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

/* Has the lock when it returns, or stands in for the one that has it. */
static void take(void)
{
	while (pthread_mutex_trylock(&lock) != 0) {
		if (!__atomic_load_n(&takes_long, __ATOMIC_ACQUIRE) && lock_in_time())
			return;
		pthread_mutex_lock(&in_place);
		stands_in = __atomic_load_n(&forking, __ATOMIC_ACQUIRE);
		__atomic_store_n(&takes_long, stands_in, __ATOMIC_RELEASE);
		if (stands_in)
			return;
		pthread_mutex_unlock(&in_place);
	}
}

/* Those who had them are not here. */
static void renew(void)
{
	pthread_mutex_init(&lock, NULL);
	pthread_mutex_init(&in_place, NULL);
	forking = takes_long = false;
}

void spoor_registry_lock(void)
{
	int state;

	if (held++ != 0)
		return;
	/* Files are opened and written under the lock: a thread must not end there. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	/* Where fork was called past libc, the thread that had it may not be here. */
	if (spoor_threads_forked_unseen())
		renew();
	take();
	*(stands_in ? &cancel_state_in_place : &cancel_state) = state;
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
	int state = stands_in ? cancel_state_in_place : cancel_state;

	if (--held != 0)
		return;
	pthread_mutex_unlock(stands_in ? &in_place : &lock);
	stands_in = false;
	pthread_setcancelstate(state, NULL);
}

bool spoor_registry_is_held(void)
{
	return held != 0;
}

void spoor_registry_fork_begins(void)
{
	spoor_registry_lock();
	/* A handler may fork that has interrupted who changes something, or waits for that one. */
	if (held == 1 && !stands_in)
		__atomic_store_n(&forking, true, __ATOMIC_RELEASE);
}

void spoor_registry_fork_ends(bool in_child)
{
	if (in_child) {
		/* The other one is not here. */
		pthread_mutex_init(stands_in ? &lock : &in_place, NULL);
		forking = takes_long = false;
	} else if (held == 1 && !stands_in) {
		pthread_mutex_lock(&in_place);
		__atomic_store_n(&forking, false, __ATOMIC_RELEASE);
		__atomic_store_n(&takes_long, false, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&in_place);
	}
	spoor_registry_unlock();
}
