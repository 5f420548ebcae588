/* SPDX-License-Identifier: MIT */
/*
 * sigtrap_handler.c - SIGTRAP has one handler, which asks libspoor.so first; what the program has chosen for
 * it is kept, shown to it, and done where the trap is none of libspoor.so's.
 *
 * The handler runs on the stack that the thread is on: an alternative one may be too small for two.
 */
#define _GNU_SOURCE
#include "trap/sigtrap_handler.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "format/trap_guard.h"

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

/* A bit for each signal in whose action the program blocks SIGTRAP. */
static uint64_t blocked_by;
#define MASK_BYTES 8		/* the kernel's */
#define BIT_OF(signal) (1ull << ((signal) - 1))

#define EACH_NEXT(do) do(sigaction) do(signal) do(bsd_signal) do(sysv_signal) do(__sysv_signal) do(sigset)
#define POINTER(name) static __typeof__(name) *next_##name;
EACH_NEXT(POINTER)

/* The linker is asked before anyone comes here with a lock of ours. */
__attribute__((constructor(101))) static void begin(void)
{
#define FIND(name) __atomic_store_n(&next_##name, (__typeof__(name) *)guard_next(#name), __ATOMIC_RELEASE);
	EACH_NEXT(FIND)
}

/* Constructors of other libraries may come here before ours. */
#define NEXT(name) (__atomic_load_n(&next_##name, __ATOMIC_ACQUIRE) ? (void)0 : begin(), \
		    __atomic_load_n(&next_##name, __ATOMIC_ACQUIRE))

static int real_sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	return NEXT(sigaction)(signal, action, old);
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
	spoor_trap *taker = __atomic_load_n(&trap, __ATOMIC_ACQUIRE);
	int saved = errno;

	if (!taker || !taker(info, context))
		forward(signal, info, context);
	errno = saved;
}

/*
 * Puts SIGTRAP into the mask of a signal's action, or takes it out. What the program sets meanwhile is what was
 * replaced the next time, and so is not lost.
 */
static void block_by(int number, bool on)
{
	struct sigaction expected, wanted, replaced;

	if (real_sigaction(number, NULL, &expected) < 0)
		return;
	for (;;) {
		bool blocks = sigismember(&expected.sa_mask, SIGTRAP);

		if (blocks == on || expected.sa_handler == SIG_DFL || expected.sa_handler == SIG_IGN)
			return;
		wanted = expected;
		if (on)
			sigaddset(&wanted.sa_mask, SIGTRAP);
		else
			sigdelset(&wanted.sa_mask, SIGTRAP);
		if (!on)
			__atomic_or_fetch(&blocked_by, BIT_OF(number), __ATOMIC_RELAXED);
		if (real_sigaction(number, &wanted, &replaced) < 0 ||
		    (replaced.sa_handler == expected.sa_handler && replaced.sa_flags == expected.sa_flags &&
		     memcmp(&replaced.sa_mask, &expected.sa_mask, MASK_BYTES) == 0))
			return;
		real_sigaction(number, &replaced, &expected);
		expected = replaced;
	}
}

static void block_by_all(bool on)
{
	uint64_t which = on ? __atomic_exchange_n(&blocked_by, 0, __ATOMIC_RELAXED) : ~0ull;

	for (int number = 1; number <= 64; number++)
		if (number != SIGTRAP && which & BIT_OF(number))
			block_by(number, on);
}

static int take(spoor_trap *taker)
{
	struct sigaction ours = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART }, old;
	bool late = guard_is_late();
	sigset_t only;
	int error;

	if (__atomic_load_n(&trap, __ATOMIC_ACQUIRE))
		return late;
	sigemptyset(&ours.sa_mask);
	sigemptyset(&only);
	sigaddset(&only, SIGTRAP);
	if (real_sigaction(SIGTRAP, NULL, &old) < 0)
		return -errno;
	choose(&old);
	error = late ? guard_bind(true) : 0;
	if (error < 0)
		return error;
	__atomic_store_n(&trap, taker, __ATOMIC_RELEASE);
	if (real_sigaction(SIGTRAP, &ours, NULL) < 0) {
		error = -errno;
		__atomic_store_n(&trap, NULL, __ATOMIC_RELEASE);
		if (late)
			guard_bind(false);
		return error;
	}
	if (late) {
		block_by_all(false);
		return 1;
	}
	/* Who started us may have blocked it. */
	return -pthread_sigmask(SIG_UNBLOCK, &only, NULL);
}

static void leave(void)
{
	struct sigaction action, replaced;

	if (!guard_is_late() || !__atomic_load_n(&trap, __ATOMIC_ACQUIRE))
		return;
	guard_bind(false);
	action = programs();
	__atomic_store_n(&trap, NULL, __ATOMIC_RELEASE);
	/* The program may have been quicker. */
	if (real_sigaction(SIGTRAP, &action, &replaced) == 0 && replaced.sa_sigaction != handle)
		real_sigaction(SIGTRAP, &replaced, NULL);
	block_by_all(true);
}

EXPORT const struct spoor_trap_guard spoor_trap_guard = { SPOOR_TRAP_GUARD_VERSION, take, leave };

EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction copy, before;
	uint64_t bit, blocked;
	bool blocks;

	if (signal == SIGTRAP && __atomic_load_n(&trap, __ATOMIC_ACQUIRE)) {
		before = programs();
		if (action)
			choose(action);
		if (old)
			*old = before;
		return 0;
	}
	if (signal < 1 || signal > 64)
		return real_sigaction(signal, action, old);
	bit = BIT_OF(signal);
	blocks = action && sigismember(&action->sa_mask, SIGTRAP);
	if (blocks) {
		copy = *action;
		sigdelset(&copy.sa_mask, SIGTRAP);
		action = &copy;
	}
	blocked = __atomic_load_n(&blocked_by, __ATOMIC_RELAXED) & bit;
	if (real_sigaction(signal, action, old) < 0)
		return -1;
	if (old && blocked)
		sigaddset(&old->sa_mask, SIGTRAP);
	if (blocks)
		__atomic_or_fetch(&blocked_by, bit, __ATOMIC_RELAXED);
	else if (action && blocked)
		__atomic_and_fetch(&blocked_by, ~bit, __ATOMIC_RELAXED);
	return 0;
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
	if (number == SIGTRAP && __atomic_load_n(&trap, __ATOMIC_ACQUIRE)) \
		return set(number, handler, flags); \
	if (number > 0 && number <= 64) \
		__atomic_and_fetch(&blocked_by, ~BIT_OF(number), __ATOMIC_RELAXED); \
	return NEXT(name)(number, handler)

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
	if (number == SIGTRAP && handler == SIG_HOLD && __atomic_load_n(&trap, __ATOMIC_ACQUIRE))
		return programs().sa_handler;
	OTHERS(sigset, 0);
}
