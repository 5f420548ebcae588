/* SPDX-License-Identifier: MIT */
/*
 * copies.c - opens each library of its arguments in order, and calls it as often as its
 * position says. Closes them in the same order or, with -b, in reverse order.
 * global:LIBRARY is opened with RTLD_GLOBAL and never closed, new:LIBRARY in a new name
 * space; stays:LIBRARY too, and is never closed. enable: calls spoor_enable.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/work.h"

TRACED void leaf(void)
{
	KEEP;
}

UNTRACED int main(int argc, char **argv)
{
	void *libraries[16] = { 0 };
	bool stays[16] = { false };

	for (int i = 1; i < argc && i < 16; i++) {
		int (*calls)(int);

		if (strcmp(argv[i], "-b") == 0)
			continue;
		if (strcmp(argv[i], "enable:") == 0) {
			long (*enable)(void);

			enable = (__typeof__(enable))dlsym(RTLD_DEFAULT, "spoor_enable");
			if (!enable || enable() < 0)
				abort();
			continue;
		}
		if (strncmp(argv[i], "global:", 7) == 0) {
			if (!dlopen(argv[i] + 7, RTLD_NOW | RTLD_GLOBAL))
				goto bad;
			continue;
		}
		if (strncmp(argv[i], "stays:", 6) == 0) {
			libraries[i] = dlmopen(LM_ID_NEWLM, argv[i] + 6, RTLD_NOW);
			stays[i] = true;
		} else if (strncmp(argv[i], "new:", 4) == 0) {
			libraries[i] = dlmopen(LM_ID_NEWLM, argv[i] + 4, RTLD_NOW);
		} else {
			libraries[i] = dlopen(argv[i], RTLD_NOW);
		}
		if (!libraries[i])
			goto bad;
		calls = (__typeof__(calls))dlsym(libraries[i], "loaded_calls");
		if (calls && calls(i) != i)
			abort();
		leaf();
	}
	if (strcmp(argv[1], "-b") == 0) {
		for (int i = 15; i > 0; i--) {
			if (libraries[i] && !stays[i])
				dlclose(libraries[i]);
		}
		return 0;
	}
	for (int i = 0; i < 16; i++) {
		if (libraries[i] && !stays[i])
			dlclose(libraries[i]);
	}
	return 0;
bad:
	fprintf(stderr, "%s\n", dlerror());
	return 1;
}
