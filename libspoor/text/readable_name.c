/* SPDX-License-Identifier: MIT */
/* readable_name.c - demangles linkage names of C++, Rust, D and Fortran. */
#include "text/readable_name.h"

#include "text/d_name.h"
#include "text/demangled.h"

#include <string.h>

char *spoor_readable_name(const char *linkage)
{
	struct spoor_text text;
	char *name;

	if (spoor_demangle(linkage, true, &text))
		return strdup(text.bytes);
	name = spoor_d_name(linkage);
	if (name)
		spoor_name_cut(name);
	return name;
}
