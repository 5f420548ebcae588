/* SPDX-License-Identifier: MIT */
/*
 * steps_then_kill.c - runs the program $2 until it stops itself, then $1 more instructions of
 * its main thread, and kills it there. Prints "ended" if the program ended before that.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define INSTRUCTION offsetof(struct user, regs.rip)

int main(int argc, char **argv)
{
	long steps = argc > 2 ? atol(argv[1]) : 0;
	pid_t child = argc > 2 ? fork() : -1;
	int status;

	if (child < 0)
		return 2;
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	/* First the stop after exec, then the program's own stop. */
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP)
		ptrace(PTRACE_CONT, child, NULL, WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
	while (WIFSTOPPED(status) && steps > 0) {
		long before = ptrace(PTRACE_PEEKUSER, child, INSTRUCTION, NULL);

		ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
		if (waitpid(child, &status, 0) != child)
			return 1;
		/* In a virtual machine a step sometimes executes no instruction. */
		steps -= ptrace(PTRACE_PEEKUSER, child, INSTRUCTION, NULL) != before;
	}
	if (!WIFSTOPPED(status)) {
		puts("ended");
		return 0;
	}
	kill(child, SIGKILL);
	return waitpid(child, &status, 0) == child && WIFSIGNALED(status) ? 0 : 1;
}
