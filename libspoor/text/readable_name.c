/* SPDX-License-Identifier: MIT */
/* readable_name.c - linkage names as people write them: C++, Rust, D, Fortran. */
#include "text/readable_name.h"

#include "text/fortran_name.h"

#include <string.h>

#include <libiberty/demangle.h>

char *spoor_readable_name(const char *linkage)
{
	char text[4096], *name = cplus_demangle(linkage, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);

	/* What D has libiberty does not try by itself. */
	if (!name && strncmp(linkage, "_D", 2) == 0)
		name = dlang_demangle(linkage, 0);
	if (!name && spoor_fortran_name(linkage, text, sizeof text))
		name = strdup(text);
	return name;
}
