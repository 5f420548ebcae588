/* SPDX-License-Identifier: MIT */
/*
 * opener.c - opens what it is told, by names that only its own RUNPATH can find. As a
 * library (LIBRARY) it is who opens; as a program it asks that library to.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "work.h"

int opener_calls(const char *name, const char *function, int times);

#ifdef LIBRARY
TRACED int opener_calls(const char *name, const char *function, int times)
{
	void *library = dlopen(name, RTLD_NOW);
	int (*calls)(int);

	if (!library) {
		printf("%s\n", dlerror());
		return -1;
	}
	*(void **)&calls = dlsym(library, function);
	times = calls(times);
	dlclose(library);
	return times;
}
#else
/* $1: a library's name, $2: its function, $3: how often that shall call. */
int main(int argc, char **argv)
{
	void *library;

	if (argc < 4)
		return 2;
	printf("the opener: %d\n", opener_calls(argv[1], argv[2], atoi(argv[3])));
	/* Who has not that RUNPATH does not find it. */
	library = dlopen(argv[1], RTLD_NOW);
	printf("the program: %s\n", library ? "finds it" : "finds nothing");
	return 0;
}
#endif
