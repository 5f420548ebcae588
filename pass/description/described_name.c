/* SPDX-License-Identifier: MIT */
/* described_name.c - the name of a described function as in its source. Needs no compiler. */
#include "pass/description/description.h"

#include "text/readable_name.h"
#include "text/source_name.h"

#include <stdlib.h>
#include <string.h>

const char *description_demangled(struct description *description)
{
	const char *name = description->linkage_name;
	char *plain;

	if (description->demangled_name)
		return description->demangled_name;
	/* Marks a name that the target must not decorate. */
	if (*name == '\1')
		name++;
	plain = strndup(name, spoor_source_name_length(name));
	if (!plain)
		return NULL;
	description->demangled_name = spoor_readable_name(plain);
	if (!description->demangled_name && description->method_name)
		description->demangled_name = strdup(description->method_name);
	if (!description->demangled_name)
		description->demangled_name = plain;
	else
		free(plain);
	return description->demangled_name;
}

void description_free(struct description *description)
{
	free(description->demangled_name);
	free(description->method_name);
	free(description->file_name);
	free(description->directory);
	memset(description, 0, sizeof *description);
}
