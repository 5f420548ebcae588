/* SPDX-License-Identifier: MIT */
/*
 * guard.c - SIGTRAP has one handler, which asks libspoor.so first; what the program has chosen for
 * it is kept, shown to it, and done where the trap is none of libspoor.so's.
 *
 * The handler runs on the stack that the thread is on: an alternative one may be too small for two.
 */
#define _GNU_SOURCE
#include "guard.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "trap_guard.h"

/* sysv_signal's. */
#define ONCE (SA_RESETHAND | SA_NODEFER | SA_INTERRUPT)
#ifndef SA_INTERRUPT
#define SA_INTERRUPT 0x20000000
#endif

sighandler_t bsd_signal(int signal, sighandler_t handler);
sighandler_t __sysv_signal(int signal, sighandler_t handler);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static spoor_trap *trap;	/* null until it is taken */

/*
 * The program's: action number `chosen` is in [chosen % 2], so that the handler, which may have
 * interrupted who stores the next one, always finds a whole one.
 */
static struct sigaction actions[2];
static unsigned int chosen;
static int choosing;		/* a lock */

static int real_sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	static __typeof__(sigaction) *next;
	__typeof__(sigaction) *found = __atomic_load_n(&next, __ATOMIC_ACQUIRE);

	if (!found) {
		found = (__typeof__(sigaction) *)guard_next("sigaction");
		__atomic_store_n(&next, found, __ATOMIC_RELEASE);
	}
	return found(signal, action, old);
}

/* The linker is asked before anyone comes here with a lock of ours. */
__attribute__((constructor(101))) static void begin(void)
{
	struct sigaction now;

	real_sigaction(SIGTRAP, NULL, &now);
}

static struct sigaction programs(void)
{
	struct sigaction action;
	unsigned int before;

	do {
		before = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
		action = actions[before % 2];
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (before != __atomic_load_n(&chosen, __ATOMIC_RELAXED));
	return action;
}

static void choose(const struct sigaction *action)
{
	sigset_t all, mask;
	unsigned int next;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	while (__atomic_exchange_n(&choosing, 1, __ATOMIC_ACQUIRE))
		;
	next = __atomic_load_n(&chosen, __ATOMIC_RELAXED) + 1;
	actions[next % 2] = *action;
	__atomic_store_n(&chosen, next, __ATOMIC_RELEASE);
	__atomic_store_n(&choosing, 0, __ATOMIC_RELEASE);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static void end_by_trap(void)
{
	struct sigaction none = { .sa_handler = SIG_DFL };

	real_sigaction(SIGTRAP, &none, NULL);
	raise(SIGTRAP);
}

/* As the kernel would have done. */
static void forward(int signal, siginfo_t *info, void *context)
{
	struct sigaction action = programs();
	bool was_sent = info->si_code <= 0;
	sigset_t mask, copy;

	if (action.sa_handler == SIG_IGN && was_sent)
		return;
	if (action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL) {
		end_by_trap();
		return;
	}
	if (action.sa_flags & SA_RESETHAND)
		choose(&(struct sigaction){ .sa_handler = SIG_DFL });
	pthread_sigmask(SIG_BLOCK, guard_without_trap(&action.sa_mask, &copy), &mask);
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(signal, info, context);
	else
		action.sa_handler(signal);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static void handle(int signal, siginfo_t *info, void *context)
{
	int saved = errno;

	if (!trap(info, context))
		forward(signal, info, context);
	errno = saved;
}

static int take(spoor_trap *taker)
{
	struct sigaction ours = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART }, old;
	sigset_t only;

	if (__atomic_load_n(&trap, __ATOMIC_ACQUIRE))
		return 0;
	sigemptyset(&ours.sa_mask);
	sigemptyset(&only);
	sigaddset(&only, SIGTRAP);
	if (real_sigaction(SIGTRAP, NULL, &old) < 0)
		return -errno;
	choose(&old);
	__atomic_store_n(&trap, taker, __ATOMIC_RELEASE);
	if (real_sigaction(SIGTRAP, &ours, NULL) < 0) {
		__atomic_store_n(&trap, NULL, __ATOMIC_RELEASE);
		return -errno;
	}
	/* Who started us may have blocked it. */
	return -pthread_sigmask(SIG_UNBLOCK, &only, NULL);
}

EXPORT const struct spoor_trap_guard spoor_trap_guard = { SPOOR_TRAP_GUARD_VERSION, take };

EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction copy, before;

	if (signal == SIGTRAP && __atomic_load_n(&trap, __ATOMIC_ACQUIRE)) {
		before = programs();
		if (action)
			choose(action);
		if (old)
			*old = before;
		return 0;
	}
	if (action && sigismember(&action->sa_mask, SIGTRAP)) {
		copy = *action;
		sigdelset(&copy.sa_mask, SIGTRAP);
		action = &copy;
	}
	return real_sigaction(signal, action, old);
}

static sighandler_t set(int signal, sighandler_t handler, int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags }, old;

	if (!(flags & SA_NODEFER))
		sigaddset(&action.sa_mask, signal);
	return sigaction(signal, &action, &old) < 0 ? SIG_ERR : old.sa_handler;
}

/* Of SIGTRAP; of all others libc's own does it. */
#define OTHERS(name, flags) \
	static __typeof__(name) *next; \
	__typeof__(name) *found = __atomic_load_n(&next, __ATOMIC_ACQUIRE); \
	if (number == SIGTRAP) \
		return set(number, handler, flags); \
	if (!found) { \
		found = (__typeof__(name) *)guard_next(#name); \
		__atomic_store_n(&next, found, __ATOMIC_RELEASE); \
	} \
	return found(number, handler)

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
	OTHERS(signal, SA_RESTART);
}

EXPORT sighandler_t bsd_signal(int number, sighandler_t handler)
{
	OTHERS(bsd_signal, SA_RESTART);
}

EXPORT sighandler_t sysv_signal(int number, sighandler_t handler)
{
	OTHERS(sysv_signal, ONCE);
}

EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler)
{
	OTHERS(__sysv_signal, ONCE);
}

EXPORT sighandler_t sigset(int number, sighandler_t handler)
{
	/* To hold it would be to block it. */
	if (number == SIGTRAP && handler == SIG_HOLD)
		return programs().sa_handler;
	OTHERS(sigset, 0);
}
