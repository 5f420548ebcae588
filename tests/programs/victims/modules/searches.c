/* SPDX-License-Identifier: MIT */
/*
 * searches.c - opens libraries by bare names, through its own RUNPATH or the RUNPATH of the
 * library that calls dlopen (searching.c). The name space is its own or, with "new", a new
 * one. Prints the result of each.
 *
 * Arguments: [new] HOW NAME..., where HOW is "self" or the name of the library that calls dlopen.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "../common/work.h"

TRACED void leaf(void)
{
	KEEP;
}

UNTRACED static void *open_in(const char *where, const char *name)
{
	return strcmp(where, "new") == 0 ? dlmopen(LM_ID_NEWLM, name, RTLD_NOW) : dlopen(name, RTLD_NOW);
}

UNTRACED int main(int argc, char **argv)
{
	const char *where = strcmp(argv[1], "new") == 0 ? argv[1] : "same";
	char **how = argv + 1 + (strcmp(where, "new") == 0);
	int (*opens)(const char *name) = NULL;

	if (strcmp(*how, "self") != 0) {
		void *outer = open_in(where, *how);

		if (!outer) {
			printf("%s: %s\n", *how, dlerror());
			return 1;
		}
		opens = (__typeof__(opens))dlsym(outer, "searching_open");
	}
	for (char **name = how + 1; name < argv + argc; name++) {
		int (*calls)(int);
		void *library;

		leaf();
		if (opens) {
			printf("%s by %s: %d\n", *name, *how, opens(*name));
			continue;
		}
		library = open_in(where, *name);
		if (!library) {
			printf("%s: %s\n", *name, dlerror());
			continue;
		}
		calls = (__typeof__(calls))dlsym(library, "loaded_calls");
		printf("%s: %d\n", *name, calls(5));
		dlclose(library);
	}
	return 0;
}
