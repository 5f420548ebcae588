/* SPDX-License-Identifier: MIT */
/*
 * hooked.c - opens and closes two libraries in turn, so that each is loaded at the address
 * of the other one, and calls NAME_value of each three times.
 *
 * $1 and $2 are the libraries, libNAME.so; $3 is the number of turns. Prints how often a
 * library was at the address of the other library. Exits with 0 if all results were right.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void *call(const char *path)
{
	const char *name = strstr(path, "/lib") + 4;
	void *library = dlopen(path, RTLD_NOW);
	int (*value)(int);
	char symbol[40];
	Dl_info info;

	snprintf(symbol, sizeof(symbol), "%.*s_value", (int)strcspn(name, "."), name);
	value = library ? (int (*)(int))dlsym(library, symbol) : NULL;
	if (!value || !dladdr((void *)value, &info)) {
		fprintf(stderr, "hooked: %s\n", dlerror());
		exit(1);
	}
	for (int i = 0; i < 3; i++)
		wrong += value(i) != i + (int)strlen(symbol);
	dlclose(library);
	return info.dli_fbase;
}

int main(int argc, char **argv)
{
	void *last = NULL;
	int times = argc == 4 ? atoi(argv[3]) : 0, same = 0;

	for (int i = 0; i < times; i++) {
		void *at = call(argv[1 + i % 2]);

		same += at == last;
		last = at;
	}
	printf("%d times of %d\n", same, times);
	return wrong != 0;
}
