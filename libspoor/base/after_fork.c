/* SPDX-License-Identifier: MIT */
/* after_fork.c - tests in a copy of a forked child whether an operation would block for ever. */
#define _GNU_SOURCE
#include "base/after_fork.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRIAL_NS 300000000l	/* no pause is longer; all together take at most twice as long */

static bool has_threads;	/* at the last fork, of this process or of its parent */
static bool libc_has_threads;	/* the same, without threads that libc does not know */
static bool libc_had_threads;	/* at any fork that led to this process */
static pid_t made_by_libc;	/* the last process that fork() made, or the first one */
static void (*silence_copy)(void);
static enum { LINKER_FREE, LINKER_UNKNOWN, LINKER_TAKEN } linker;

void spoor_after_fork_prepare(void)
{
	struct stat tasks;
	int saved = errno;

	has_threads = stat("/proc/self/task", &tasks) < 0 || tasks.st_nlink != 2 + 1;
	libc_has_threads = !__libc_single_threaded;
	errno = saved;
}

void spoor_after_fork_begins(void)
{
	/* A lock that was taken in the parent's parent stays taken. */
	if (linker == LINKER_FREE && has_threads)
		linker = LINKER_UNKNOWN;
	libc_had_threads |= libc_has_threads;
	made_by_libc = getpid();
}

void spoor_after_fork_silence_copies(void (*silence)(void))
{
	silence_copy = silence;
}

bool spoor_after_fork_by_libc(void)
{
	return made_by_libc == getpid();
}

bool spoor_after_fork_can(void (*what)(void))
{
	/* CLONE_UNTRACED: a debugger would report the copy as a thread. */
	pid_t child = (pid_t)syscall(SYS_clone, CLONE_UNTRACED, NULL, NULL, NULL, NULL);
	int status;

	if (child == 0) {
		/* The copy may call a traced malloc, which must not start a trace. */
		if (silence_copy)
			silence_copy();
		/* If the lists of the dynamic linker are half written, it prints an error and exits. Hide that
		 * error. */
		syscall(SYS_close, STDERR_FILENO);
		/* A debugger's breakpoint kills the copy, which must leave no core file. */
		syscall(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
		what();
		for (;;)
			syscall(SYS_exit_group, 0);
	}
	/* Emulators cannot make the copy. The linker's locks are free if no other thread can have held them. Threads of
	 * the emulator do not count, but /proc shows them. */
	if (child < 0)
		return linker == LINKER_FREE || (linker == LINKER_UNKNOWN && !libc_had_threads);
	/* The copy usually ends within 0.1 ms. */
	for (long pause_ns = 50000; pause_ns < TRIAL_NS; pause_ns *= 2) {
		if (waitpid(child, &status, __WCLONE | WNOHANG) == child)
			return status == 0;
		nanosleep(&(struct timespec){ .tv_nsec = pause_ns }, NULL);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, __WCLONE);
	return false;
}

static int stop_at_first(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)object, (void)size, (void)unused;
	return 1;
}

static void take_linker_locks(void)
{
	dl_iterate_phdr(stop_at_first, NULL);
	dlopen(NULL, RTLD_NOW | RTLD_NOLOAD);
}

bool spoor_after_fork_has_linker(void)
{
	if (linker == LINKER_UNKNOWN)
		linker = spoor_after_fork_can(take_linker_locks) ? LINKER_FREE : LINKER_TAKEN;
	return linker == LINKER_FREE;
}
