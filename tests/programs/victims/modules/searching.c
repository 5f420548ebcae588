/* SPDX-License-Identifier: MIT */
/* searching.c - a library that opens others: the dynamic linker goes by the RUNPATH of the
 * object that the call of dlopen stands in. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "../common/work.h"

/* Return: what loaded_calls says, or -1 where there is no such library. What that library
 * needs is called too, where it has needed_calls. */
TRACED int searching_open(const char *name)
{
	void *library = dlopen(name, RTLD_NOW);
	int (*calls)(int), (*needed)(int), result;

	if (!library)
		return -1;
	calls = (__typeof__(calls))dlsym(library, "loaded_calls");
	result = calls(7);
	needed = (__typeof__(needed))dlsym(library, "needed_calls");
	if (needed)
		result += needed(3);
	dlclose(library);
	return result;
}
