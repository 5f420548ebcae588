/* SPDX-License-Identifier: MIT */
/* demangled.c - libiberty's demanglers. */
#include "text/demangled.h"

#include "text/fortran_name.h"

#include <libiberty/demangle.h>
#include <string.h>

void spoor_text_add(const char *piece, size_t bytes, void *opaque)
{
	struct spoor_text *text = opaque;

	if (bytes >= sizeof(text->bytes) - text->used)
		bytes = sizeof(text->bytes) - 1 - text->used;
	memcpy(text->bytes + text->used, piece, bytes);
	text->used += bytes;
	text->bytes[text->used] = '\0';
}

/* The callback forms: they need no malloc, which is the program's. */
const char *spoor_demangle(const char *name, bool parameters, struct spoor_text *text)
{
	int options = DMGL_ANSI | (parameters ? DMGL_PARAMS : 0);

	text->used = 0;
	if (!spoor_may_be_mangled(name))
		return NULL;
	if (rust_demangle_callback(name, options, spoor_text_add, text) && text->used)
		return text->bytes;
	text->used = 0;
	if (name[1] == 'Z' && cplus_demangle_v3_callback(name, options, spoor_text_add, text) && text->used)
		return text->bytes;
	return spoor_fortran_name(name, text->bytes, sizeof(text->bytes)) ? text->bytes : NULL;
}
