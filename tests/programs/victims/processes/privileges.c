/* SPDX-License-Identifier: MIT */
/*
 * privileges.c - a process that changes its privileges, its root or its program while it is traced.
 *
 *   exec COMMAND...   executes another program
 *   lock              locks all its memory between 1000 calls and 300,000 calls, and
 *                     prints how many MiB it has then
 *   chroot, setuid    300,000 calls, then another root or user, 299,000 more calls, and
 *                     1000 in a thread with the name "after"
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/work.h"

TRACED void leaf(void)
{
	KEEP;
}

UNTRACED static void call(int times)
{
	while (times--)
		leaf();
}

UNTRACED static void *after(void *unused)
{
	pthread_setname_np(pthread_self(), "after");
	call(1000);
	return unused;
}

UNTRACED static int lock(void)
{
	char line[256];
	long kib = 0;
	FILE *file;

	call(1000);
	if (mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
		return 3;
	call(300000);
	file = fopen("/proc/self/status", "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "VmRSS: %ld", &kib);
	printf("%ld\n", kib / 1024);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 2 && strcmp(argv[1], "exec") == 0) {
		execv(argv[2], argv + 2);
		return 1;
	}
	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "lock") == 0)
		return lock();
	call(300000);
	if (strcmp(argv[1], "chroot") == 0) {
		if ((mkdir("root", 0755) < 0 && access("root", F_OK) < 0) || chroot("root") < 0 || chdir("/") < 0)
			return 3;
	} else if (setuid(65534) < 0) {
		return 3;
	}
	call(299000);
	pthread_create(&thread, NULL, after, NULL);
	pthread_join(thread, NULL);
	return 0;
}
