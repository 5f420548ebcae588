/* SPDX-License-Identifier: MIT */
/*
 * many_libraries.c - opens all libraries of its arguments, then calls loaded_calls() of the
 * N-th library N times. With -b the last library is opened first. All are open at the end.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/work.h"

UNTRACED int main(int argc, char **argv)
{
	int backwards = argc > 1 && strcmp(argv[1], "-b") == 0, count = argc - 1 - backwards;
	void **libraries = calloc((size_t)count + 1, sizeof(*libraries));

	for (int i = 0; i < count; i++) {
		int number = backwards ? count - 1 - i : i;

		libraries[number] = dlopen(argv[1 + backwards + number], RTLD_NOW);
		if (!libraries[number]) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
	}
	for (int i = 0; i < count; i++) {
		int (*calls)(int);

		calls = (__typeof__(calls))dlsym(libraries[i], "loaded_calls");
		if (!calls || calls(i + 1) != i + 1)
			return 1;
	}
	free(libraries);
	return 0;
}
