/* SPDX-License-Identifier: MIT */
/*
 * sigtrap_handler.c - installs the only handler of SIGTRAP, which first asks libspoor.so. Stores the
 * program's own action for SIGTRAP, returns it to the program, and performs it if the trap is not
 * libspoor.so's.
 *
 * The handler runs on the current stack: an alternative one may be too small for two handlers.
 */
#define _GNU_SOURCE
#include "trap/sigtrap_handler.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "format/trap_guard.h"

/* Flags of sysv_signal. */
#define ONCE (SA_RESETHAND | SA_NODEFER | SA_INTERRUPT)
#ifndef SA_INTERRUPT
#define SA_INTERRUPT 0x20000000
#endif

sighandler_t bsd_signal(int signal, sighandler_t handler);
sighandler_t __sysv_signal(int signal, sighandler_t handler);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static spoor_trap *trap;	/* null before take() */

/*
 * The program's action for SIGTRAP. Action number `chosen` is in element chosen % 2. The handler may have
 * interrupted a thread that stores the next action, and always finds a complete one.
 */
static struct sigaction actions[2];
static unsigned int chosen;
static int choosing;		/* a lock */

/* A bit for each signal whose action the program wants to block SIGTRAP. */
static uint64_t blocked_by;
#define MASK_BYTES 8		/* size of the kernel's signal masks */
#define BIT_OF(signal) (1ull << ((signal) - 1))

#define EACH_NEXT(do) do(sigaction) do(signal) do(bsd_signal) do(sysv_signal) do(__sysv_signal) do(sigset)
#define POINTER(name) static __typeof__(name) *next_##name;
EACH_NEXT(POINTER)

/* Calls the dynamic linker early, while no lock of this library is held. */
__attribute__((constructor(101))) static void begin(void)
{
#define FIND(name) __atomic_store_n(&next_##name, (__typeof__(name) *)guard_next(#name), __ATOMIC_RELEASE);
	EACH_NEXT(FIND)
}

/* The constructors of other libraries may come here before this library's. */
#define NEXT(name) (__atomic_load_n(&next_##name, __ATOMIC_ACQUIRE) ? (void)0 : begin(), \
		    __atomic_load_n(&next_##name, __ATOMIC_ACQUIRE))

static int real_sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	return NEXT(sigaction)(signal, action, old);
}

static struct sigaction program_action(void)
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

/* Performs the program's action as the kernel would. */
static void forward(int signal, siginfo_t *info, void *context)
{
	struct sigaction action = program_action();
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
 * Puts SIGTRAP into the mask of a signal's action, or removes it. If the program sets an action meanwhile,
 * the next attempt finds it as the replaced one, so it is not lost.
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
	/* The parent process may have blocked SIGTRAP. */
	return -pthread_sigmask(SIG_UNBLOCK, &only, NULL);
}

static void leave(void)
{
	struct sigaction action, replaced;

	if (!guard_is_late() || !__atomic_load_n(&trap, __ATOMIC_ACQUIRE))
		return;
	guard_bind(false);
	action = program_action();
	__atomic_store_n(&trap, NULL, __ATOMIC_RELEASE);
	/* The program may have set an action meanwhile; keep that. */
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
		before = program_action();
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

/* Handles SIGTRAP here, and passes other signals to libc's function. */
#define FORWARD(name, flags) \
	if (number == SIGTRAP && __atomic_load_n(&trap, __ATOMIC_ACQUIRE)) \
		return set(number, handler, flags); \
	if (number > 0 && number <= 64) \
		__atomic_and_fetch(&blocked_by, ~BIT_OF(number), __ATOMIC_RELAXED); \
	return NEXT(name)(number, handler)

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
	FORWARD(signal, SA_RESTART);
}

EXPORT sighandler_t bsd_signal(int number, sighandler_t handler)
{
	FORWARD(bsd_signal, SA_RESTART);
}

EXPORT sighandler_t sysv_signal(int number, sighandler_t handler)
{
	FORWARD(sysv_signal, ONCE);
}

EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler)
{
	FORWARD(__sysv_signal, ONCE);
}

EXPORT sighandler_t sigset(int number, sighandler_t handler)
{
	/* SIG_HOLD would block SIGTRAP. */
	if (number == SIGTRAP && handler == SIG_HOLD && __atomic_load_n(&trap, __ATOMIC_ACQUIRE))
		return program_action().sa_handler;
	FORWARD(sigset, 0);
}
