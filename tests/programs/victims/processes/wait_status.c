/* SPDX-License-Identifier: MIT */
/* wait_status.c - runs a program and prints how it ended, because a shell does not report core dumps. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int status;
	pid_t child = argc > 1 ? fork() : -1;

	if (child == 0) {
		execv(argv[1], argv + 1);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	if (WIFEXITED(status))
		printf("exit %d\n", WEXITSTATUS(status));
	else
		printf("signal %d%s\n", WTERMSIG(status), WCOREDUMP(status) ? " core" : "");
	return 0;
}
