/* SPDX-License-Identifier: MIT */
/*
 * signal_masks.c - replaces functions of libc that block signals, so that they never block SIGTRAP: a
 * breakpoint in a thread that blocks SIGTRAP ends the process.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "trap/sigtrap_handler.h"

/* libc's headers declare it only with _FORTIFY_SOURCE. Some of these functions are deprecated. */
int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t bytes);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* The bit of SIGTRAP in a mask that is a number. */
#define TRAP_BIT (1 << (SIGTRAP - 1))

#define EACH_NEXT(do) \
	do(epoll_pwait) do(epoll_pwait2) do(ppoll) do(__ppoll_chk) do(pselect) do(pthread_attr_setsigmask_np) \
	do(pthread_sigmask) do(sigblock) do(sighold) do(sigprocmask) do(sigsetmask) do(sigsuspend)

#define POINTER(name) static __typeof__(name) *next_##name;
EACH_NEXT(POINTER)

static void find_all(void)
{
#define FIND(name) __atomic_store_n(&next_##name, (__typeof__(name) *)guard_next(#name), __ATOMIC_RELEASE);
	EACH_NEXT(FIND)
}

/* Runs before any signal handler can come here, which must not call the dynamic linker. */
__attribute__((constructor(101))) static void begin(void)
{
	find_all();
}

/* Gets libc's function. The constructors of other libraries may come here before this library's. */
#define NEXT(name) \
	__typeof__(name) *next = __atomic_load_n(&next_##name, __ATOMIC_ACQUIRE); \
	if (!next) { \
		find_all(); \
		next = __atomic_load_n(&next_##name, __ATOMIC_ACQUIRE); \
	}

const sigset_t *guard_without_trap(const sigset_t *set, sigset_t *copy)
{
	if (!set || !sigismember(set, SIGTRAP))
		return set;
	*copy = *set;
	sigdelset(copy, SIGTRAP);
	return copy;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t copy;
	NEXT(pthread_sigmask)

	if (!next)
		return ENOSYS;
	return next(how, how == SIG_UNBLOCK ? set : guard_without_trap(set, &copy), old);
}

static int fail_unavailable(void)
{
	errno = ENOSYS;
	return -1;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t copy;
	NEXT(sigprocmask)

	return next ? next(how, how == SIG_UNBLOCK ? set : guard_without_trap(set, &copy), old) : fail_unavailable();
}

EXPORT int sigblock(int mask)
{
	NEXT(sigblock)

	return next ? next(mask & ~TRAP_BIT) : fail_unavailable();
}

EXPORT int sigsetmask(int mask)
{
	NEXT(sigsetmask)

	return next ? next(mask & ~TRAP_BIT) : fail_unavailable();
}

EXPORT int sighold(int signal)
{
	NEXT(sighold)

	return signal == SIGTRAP ? 0 : next ? next(signal) : fail_unavailable();
}

EXPORT int sigsuspend(const sigset_t *set)
{
	sigset_t copy;
	NEXT(sigsuspend)

	return next ? next(guard_without_trap(set, &copy)) : fail_unavailable();
}

EXPORT int pthread_attr_setsigmask_np(pthread_attr_t *attributes, const sigset_t *set)
{
	sigset_t copy;
	NEXT(pthread_attr_setsigmask_np)

	return next ? next(attributes, guard_without_trap(set, &copy)) : ENOSYS;
}

EXPORT int pselect(int count, fd_set *reading, fd_set *writing, fd_set *others, const struct timespec *timeout,
		   const sigset_t *set)
{
	sigset_t copy;
	NEXT(pselect)

	return next ? next(count, reading, writing, others, timeout, guard_without_trap(set, &copy)) : fail_unavailable();
}

EXPORT int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *set)
{
	sigset_t copy;
	NEXT(ppoll)

	return next ? next(files, count, timeout, guard_without_trap(set, &copy)) : fail_unavailable();
}

EXPORT int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *set, size_t bytes)
{
	sigset_t copy;
	NEXT(__ppoll_chk)

	return next ? next(files, count, timeout, guard_without_trap(set, &copy), bytes) : fail_unavailable();
}

EXPORT int epoll_pwait(int epoll, struct epoll_event *events, int most, int timeout, const sigset_t *set)
{
	sigset_t copy;
	NEXT(epoll_pwait)

	return next ? next(epoll, events, most, timeout, guard_without_trap(set, &copy)) : fail_unavailable();
}

EXPORT int epoll_pwait2(int epoll, struct epoll_event *events, int most, const struct timespec *timeout, const sigset_t *set)
{
	sigset_t copy;
	NEXT(epoll_pwait2)

	return next ? next(epoll, events, most, timeout, guard_without_trap(set, &copy)) : fail_unavailable();
}
