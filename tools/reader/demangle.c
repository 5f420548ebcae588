/* SPDX-License-Identifier: MIT */
/* demangle.c - linkage names as people write them, by libiberty. */
#include "demangle.h"

#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "source_name.h"

char *demangle_function(const char *linkage, bool demangle)
{
	size_t length = strcspn(linkage, "@");	/* "@@VERSION" is the linker's */
	char *plain = strndup(linkage, length ? length : strlen(linkage)), *name;

	if (!plain || !demangle)
		return plain;
	plain[spoor_source_name_length(plain)] = '\0';
	name = cplus_demangle(plain, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	if (!name)
		return plain;
	free(plain);
	return name;
}
