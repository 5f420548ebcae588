/* SPDX-License-Identifier: MIT */
/*
 * seccomp.c - runs a command under a filter that makes some system calls fail with EPERM:
 *
 *   exec        mprotect to anything executable
 *   exec-back   mprotect to executable and not writable, so that only the way back fails
 *   thread      clone, clone3
 *   membarrier, madvise, mkdir, sigmask, perf
 *   perf-missing  the system call does not exist (ENOSYS)
 *
 *   read        process_vm_readv
 *
 * or kills a process that waits for two futex words at the same time (waits), or that calls process_vm_readv (read-kill).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
#define REFUSE RETURN(SECCOMP_RET_ERRNO | EPERM)
#define ALLOW RETURN(SECCOMP_RET_ALLOW)

static int install(struct sock_filter *filter, size_t count)
{
	struct sock_fprog program = { (unsigned short)count, filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0;
}

/* Makes two system calls fail; they may be the same. */
static int refuse(unsigned int first, unsigned int second)
{
	struct sock_filter filter[] = {
		LOAD(nr), EQUAL(first, 1, 0), EQUAL(second, 0, 1), REFUSE, ALLOW,
	};

	return install(filter, sizeof(filter) / sizeof(filter[0]));
}

/* Makes a system call fail as in a kernel that does not have it. */
static int hide(unsigned int number)
{
	struct sock_filter filter[] = {
		LOAD(nr), EQUAL(number, 0, 1), RETURN(SECCOMP_RET_ERRNO | ENOSYS), ALLOW,
	};

	return install(filter, sizeof(filter) / sizeof(filter[0]));
}

/* Filters that do not know a system call often kill the process that makes it. */
static int forbid(unsigned int number)
{
	struct sock_filter filter[] = {
		LOAD(nr), EQUAL(number, 0, 1), RETURN(SECCOMP_RET_KILL_PROCESS), ALLOW,
	};

	return install(filter, sizeof(filter) / sizeof(filter[0]));
}

/* Makes mprotect fail if (protection & mask) == value. */
static int refuse_mprotect(unsigned int mask, unsigned int value)
{
	struct sock_filter filter[] = {
		LOAD(nr), EQUAL(SYS_mprotect, 0, 4), LOAD(args[2]), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask),
		EQUAL(value, 0, 1), REFUSE, ALLOW,
	};

	return install(filter, sizeof(filter) / sizeof(filter[0]));
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	int error = 1;

	if (strcmp(mode, "exec") == 0)
		error = refuse_mprotect(PROT_EXEC, PROT_EXEC);
	else if (strcmp(mode, "exec-back") == 0)
		error = refuse_mprotect(PROT_EXEC | PROT_WRITE, PROT_EXEC);
	else if (strcmp(mode, "thread") == 0)
		error = refuse(SYS_clone, SYS_clone3);
	else if (strcmp(mode, "membarrier") == 0)
		error = refuse(SYS_membarrier, SYS_membarrier);
	else if (strcmp(mode, "madvise") == 0)
		error = refuse(SYS_madvise, SYS_madvise);
	else if (strcmp(mode, "mkdir") == 0)
		error = refuse(SYS_mkdir, SYS_mkdirat);
	else if (strcmp(mode, "sigmask") == 0)
		error = refuse(SYS_rt_sigprocmask, SYS_rt_sigtimedwait);
	else if (strcmp(mode, "perf") == 0)
		error = refuse(SYS_perf_event_open, SYS_perf_event_open);
	else if (strcmp(mode, "perf-missing") == 0)
		error = hide(SYS_perf_event_open);
	else if (strcmp(mode, "waits") == 0)
		error = forbid(SYS_futex_waitv);
	else if (strcmp(mode, "read") == 0)
		error = refuse(SYS_process_vm_readv, SYS_process_vm_readv);
	else if (strcmp(mode, "read-kill") == 0)
		error = forbid(SYS_process_vm_readv);
	if (error) {
		perror("seccomp");
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
