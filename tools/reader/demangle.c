/* SPDX-License-Identifier: MIT */
/* demangle.c - linkage names as people write them, by libiberty. */
#include "demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

char *demangle_function(const char *linkage, bool demangle)
{
	size_t length = strcspn(linkage, "@");	/* "@@VERSION" is the linker's */
	char *plain = strndup(linkage, length ? length : strlen(linkage)), *name, *shown;

	if (!plain)
		return NULL;
	name = demangle ? cplus_demangle(plain, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO) : NULL;
	if (!name)
		name = plain;
	else
		free(plain);
	/* Rust's names have no parameters. */
	if (strchr(name, '('))
		return name;
	if (asprintf(&shown, "%s()", name) < 0)
		shown = NULL;
	free(name);
	return shown;
}
