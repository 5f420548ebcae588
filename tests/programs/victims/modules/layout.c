/* SPDX-License-Identifier: MIT */
/*
 * layout.c - has text in two segments with data between them; prints errno at the begin of
 * main, and after the library $1 was opened and closed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#include "../common/work.h"

static volatile int data[64] = { 1 }, zeros[64];

TRACED int near(int value)
{
	KEEP;
	return value + 1;
}

TRACED __attribute__((section(".far"))) int far(int value)
{
	KEEP;
	return value + 2;
}

UNTRACED int main(int argc, char **argv)
{
	int at_begin = errno, loaded, closed;
	void *library;

	if (argc < 2)
		return 2;
	data[60] = near(1);
	zeros[60] = far(1);
	errno = 77;
	library = dlopen(argv[1], RTLD_NOW);
	loaded = errno;
	errno = 78;
	if (!library || dlclose(library) != 0)
		return 1;
	closed = errno;
	printf("errno %d %d %d data %d %d\n", at_begin, loaded, closed, data[60], zeros[60]);
	return 0;
}
