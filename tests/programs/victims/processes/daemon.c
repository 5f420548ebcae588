/* SPDX-License-Identifier: MIT */
/*
 * daemon.c - makes 1000 calls, becomes a daemon in the way that $1 names, and makes calls in
 * two threads. Then writes the number of calls and its process ID to the file $2.
 *
 *   libc   daemon(3): fork, setsid, another working directory, no standard files
 *   twice  fork, setsid, and a second fork; then closes every descriptor
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/work.h"

TRACED void leaf(void)
{
	KEEP;
}

TRACED void in_thread(void)
{
	KEEP;
}

UNTRACED static void *calls_700(void *unused)
{
	for (int i = 0; i < 700; i++)
		in_thread();
	return unused;
}

UNTRACED static void leave_parent(void)
{
	pid_t child = fork();

	if (child)
		_exit(child < 0);
}

UNTRACED static void become_daemon(const char *how)
{
	if (strcmp(how, "libc") == 0) {
		if (daemon(0, 0) < 0)
			exit(1);
		return;
	}
	leave_parent();
	if (setsid() < 0)
		exit(1);
	leave_parent();
	umask(0);
	if (chdir("/") < 0 || close_range(0, ~0u, 0) < 0)
		exit(1);
}

UNTRACED static void tell(const char *path, long leaves)
{
	char text[64], made[4096];
	int length = snprintf(text, sizeof(text), "%ld 700 %d\n", leaves, getpid());
	int file;

	snprintf(made, sizeof(made), "%s.new", path);
	file = open(made, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (file < 0 || write(file, text, (size_t)length) != length || close(file) < 0 || rename(made, path) < 0)
		exit(1);
}

UNTRACED int main(int argc, char **argv)
{
	pthread_t thread;
	long leaves = 0;

	if (argc < 3)
		return 2;
	for (int i = 0; i < 1000; i++)
		leaf();
	become_daemon(argv[1]);
	pthread_create(&thread, NULL, calls_700, NULL);
	for (; leaves < 300000; leaves++)
		leaf();
	pthread_join(thread, NULL);
	tell(argv[2], leaves);
	return 0;
}
