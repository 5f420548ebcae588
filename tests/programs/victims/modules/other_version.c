/* SPDX-License-Identifier: MIT */
/*
 * other_version.c - a library that registers like one of another version: with version 99
 * of the struct, or with a struct that is too short.
 */
#include <stddef.h>

#include "format/registration.h"

#ifndef VERSION
#define VERSION 99
#endif
#ifndef SIZE
#define SIZE sizeof(struct spoor_dso)
#endif

extern void spoor_dso_register(struct spoor_dso *dso) __attribute__((weak));

static struct spoor_dso dso = { .size = SIZE, .version = VERSION };

__attribute__((constructor)) static void begin(void)
{
	if (spoor_dso_register)
		spoor_dso_register(&dso);
}

__attribute__((destructor)) static void end(void)
{
	if (dso.unregister)
		dso.unregister(&dso);
}
