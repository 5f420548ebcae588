/* SPDX-License-Identifier: MIT */
/* after_fork.c - tries in a copy of a forked child what might take for ever. */
#define _GNU_SOURCE
#include "base/after_fork.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRIAL_NS 300000000l	/* the last pause; all together twice that */

static bool has_threads;	/* as this process, or its parent, was about to fork */
static pid_t made_by_libc;
static void (*hush_copy)(void);
static enum { LINKER_FREE, LINKER_UNKNOWN, LINKER_TAKEN } linker;

void spoor_after_fork_prepare(void)
{
	struct stat tasks;
	int saved = errno;

	has_threads = stat("/proc/self/task", &tasks) < 0 || tasks.st_nlink != 2 + 1;
	errno = saved;
}

void spoor_after_fork_begins(void)
{
	/* What was taken in the parent's parent stays so. */
	if (linker == LINKER_FREE && has_threads)
		linker = LINKER_UNKNOWN;
	made_by_libc = getpid();
}

void spoor_after_fork_hush_copies(void (*hush)(void))
{
	hush_copy = hush;
}

bool spoor_after_fork_by_libc(void)
{
	return made_by_libc == getpid();
}

bool spoor_after_fork_can(void (*what)(void))
{
	/* A debugger would take it for a thread. */
	pid_t child = (pid_t)syscall(SYS_clone, CLONE_UNTRACED, NULL, NULL, NULL, NULL);
	int status;

	if (child == 0) {
		/* The copy may call a traced malloc, which must not begin a trace. */
		if (hush_copy)
			hush_copy();
		/* Nor for a word of the linker's, which ends a process whose lists are half written. */
		syscall(SYS_close, STDERR_FILENO);
		/* A debugger's breakpoint ends it, and leaves nothing behind. */
		syscall(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
		what();
		for (;;)
			syscall(SYS_exit_group, 0);
	}
	/* An emulator makes no such copy: what nobody can have taken is taken to be free. */
	if (child < 0)
		return linker == LINKER_FREE;
	/* Mostly it has ended after a tenth of a millisecond. */
	for (long pause_ns = 50000; pause_ns < TRIAL_NS; pause_ns *= 2) {
		if (waitpid(child, &status, __WCLONE | WNOHANG) == child)
			return status == 0;
		nanosleep(&(struct timespec){ .tv_nsec = pause_ns }, NULL);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, __WCLONE);
	return false;
}

static int stop(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)object, (void)size, (void)unused;
	return 1;
}

static void ask_linker(void)
{
	dl_iterate_phdr(stop, NULL);
	dlopen(NULL, RTLD_NOW | RTLD_NOLOAD);
}

bool spoor_after_fork_has_linker(void)
{
	if (linker == LINKER_UNKNOWN)
		linker = spoor_after_fork_can(ask_linker) ? LINKER_FREE : LINKER_TAKEN;
	return linker == LINKER_FREE;
}
