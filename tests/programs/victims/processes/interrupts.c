/* SPDX-License-Identifier: MIT */
/* interrupts.c - a library that interrupts pwritev2 with SIGUSR1 on request. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <sys/uio.h>

__thread int interrupts;

ssize_t pwritev2(int file, const struct iovec *pieces, int count, off_t offset, int flags)
{
	ssize_t (*real)(int, const struct iovec *, int, off_t, int) =
		(ssize_t (*)(int, const struct iovec *, int, off_t, int))dlsym(RTLD_NEXT, "pwritev2");

	if (interrupts) {
		interrupts = 0;
		raise(SIGUSR1);
	}
	return real(file, pieces, count, offset, flags);
}
