/* SPDX-License-Identifier: MIT */
/* searching.c - a library that opens others. The dynamic linker uses the RUNPATH of the object
 * that calls dlopen. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "../common/work.h"

/* Returns the result of loaded_calls, or -1 if there is no such library. Also calls needed_calls, if
 * a dependency of that library has it. */
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
