/* SPDX-License-Identifier: MIT */
/* demangle.c - turns linkage names of C, C++ and Rust into readable names. */
#include "reader/symbols/demangle.h"

#include <stdlib.h>
#include <string.h>

#include "text/readable_name.h"
#include "text/source_name.h"

char *demangle_function(const char *linkage, bool demangle)
{
	size_t length = strcspn(linkage, "@");	/* the linker added "@@VERSION" */
	char *plain = strndup(linkage, length ? length : strlen(linkage)), *name;

	if (!plain || !demangle)
		return plain;
	plain[spoor_source_name_length(plain)] = '\0';
	name = spoor_readable_name(plain);
	if (!name)
		return plain;
	free(plain);
	return name;
}
