/* SPDX-License-Identifier: MIT */
/* demangled.h - linkage names as the source has them: C++, Rust, Fortran. */
#ifndef SPOOR_DEMANGLED_H
#define SPOOR_DEMANGLED_H

#include <stdbool.h>
#include <stddef.h>

/* A name as the demangler hands it over, in pieces; what does not fit is cut off. */
struct spoor_text {
	char bytes[4096];
	size_t used;
};

void spoor_text_add(const char *piece, size_t bytes, void *text);

/* Return: @text's bytes, or null where @name is not mangled. Calls no malloc; its stack is deep. */
const char *spoor_demangle(const char *name, bool parameters, struct spoor_text *text);

/* No name that is mangled begins otherwise. */
static inline bool spoor_may_be_mangled(const char *name)
{
	return name[0] == '_';
}

#endif
