/* SPDX-License-Identifier: MIT */
/*
 * text_permission.c - finds out how text may be read: in transactions of the processor, or by process_vm_readv.
 *
 * Filters cannot be read without privileges, and many of them kill a process for a system call that they do not know.
 * Containers have filters, too, but these seldom forbid this call. So a child makes the call, and may die of it. Only a
 * process under filters has such a child. The child has no exit signal: the program neither gets SIGCHLD nor sees the
 * child by wait().
 *
 * glibc knows if the processor has transactions (RTM) that work, and if GLIBC_TUNABLES forbids them
 * (glibc.cpu.hwcaps=-RTM).
 */
#define _GNU_SOURCE
#include "capture/text_permission.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/system.h"
#include "event/value_text.h"

/* Runs in the child, which must not run code of libc. */
static void read_and_exit(void)
{
	uint64_t from = 1, to = 0;
	struct {
		uint64_t begin, bytes;
	} local = { (uint64_t)&to, sizeof(to) }, remote = { (uint64_t)&from, sizeof(from) };
	long pid = spoor_system(SYS_getpid, 0, 0, 0, 0, 0, 0);

	/* If the filter kills the child, it leaves no core file. */
	spoor_system(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0, 0);
	spoor_system(SYS_process_vm_readv, pid, (long)&local, 1, (long)&remote, 1, 0);
	for (;;)
		spoor_system(SYS_exit_group, to != 1, 0, 0, 0, 0, 0);
}

static bool child_can_read(void)
{
	sigset_t all, before;
	int status = -1;
	long child, ended;

	/* The child has the program's signal handlers. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	child = spoor_system(SYS_clone, 0, 0, 0, 0, 0, 0);
	if (child == 0)
		read_and_exit();
	do
		ended = child > 0 ? spoor_system(SYS_wait4, child, (long)&status, __WALL, 0, 0, 0) : -1;
	while (ended == -EINTR);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ended > 0 && status == 0;
}

void spoor_text_permission_test(void)
{
	static bool is_done;

	if (is_done)
		return;
	is_done = true;
	if (spoor_system(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0) > 0 && child_can_read())
		__atomic_store_n(&spoor_text_filter_is_tested, true, __ATOMIC_RELAXED);
}

#ifdef __x86_64__
#define LEAF_7 1u		/* of glibc, for leaf 7 of cpuid */
#define EBX 1
#define RTM (1u << 11)

/* Asks the dynamic linker before spoor has a lock that a thread with the linker's lock may wait for. */
__attribute__((constructor)) static void find_transactions(void)
{
	const struct features {
		unsigned int present[4], active[4];
	} *(*features_of)(unsigned int) = NULL;
	void *found = dlsym(RTLD_DEFAULT, "__x86_get_cpuid_feature_leaf");

	if (!found) {
		/* The program must not see this error. */
		dlerror();
		return;
	}
	memcpy(&features_of, &found, sizeof(found));
	if (features_of(LEAF_7)->active[EBX] & RTM)
		__atomic_store_n(&spoor_text_has_transactions, true, __ATOMIC_RELAXED);
}
#endif
