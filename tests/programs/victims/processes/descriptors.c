/* SPDX-License-Identifier: MIT */
/*
 * descriptors.c - closes, reuses and counts descriptors as if no library in the process had any.
 *
 *   lowest      opens files and expects the lowest free numbers
 *   close-all   closes every descriptor, as daemons do, opens files with the same
 *               numbers and writes to them, while it is traced
 *   stderr      replaces standard error by a file; $2 is a library for which the
 *               runtime prints a message
 *   pipe        the same without the file: standard error is a pipe without a reader
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

UNTRACED static int open_own(int number)
{
	char name[32];

	snprintf(name, sizeof(name), "own.%d", number);
	return open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
}

UNTRACED static int lowest(void)
{
	for (int i = 0; i < 20; i++) {
		int lowest = 0;

		while (fcntl(lowest, F_GETFD) >= 0)
			lowest++;
		if (open_own(i) != lowest)
			return 10;
		call(1000);
	}
	for (int fd = 0; fd < 100; fd++) {
		char path[32], file[4096];
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, file, sizeof(file) - 1);
		if (length < 0)
			continue;
		file[length] = '\0';
		if (strstr(file, ".spoor"))
			return 11;
	}
	return 0;
}

UNTRACED static int close_all(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	call(10000);
	for (rlim_t fd = 0; fd < limit.rlim_cur; fd++)
		close((int)fd);
	for (int i = 0; i < 1000; i++) {
		if (open_own(i) != i)
			return 20;
	}
	call(200000);
	for (int i = 0; i < 1000; i++) {
		if (write(i, "own\n", 4) != 4)
			return 21;
	}
	call(200000);
	return 0;
}

UNTRACED static int stderr_reused(const char *library)
{
	close(STDERR_FILENO);
	if (open_own(2) != STDERR_FILENO || !dlopen(library, RTLD_NOW))
		return 30;
	call(1000);
	return write(STDERR_FILENO, "own\n", 4) == 4 ? 0 : 31;
}

UNTRACED int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (strcmp(mode, "lowest") == 0)
		return lowest();
	if (strcmp(mode, "close-all") == 0)
		return close_all();
	if (strcmp(mode, "stderr") == 0)
		return stderr_reused(argv[2]);
	if (strcmp(mode, "pipe") == 0) {
		if (!dlopen(argv[2], RTLD_NOW))
			return 30;
		call(1000);
		return 0;
	}
	return 1;
}
