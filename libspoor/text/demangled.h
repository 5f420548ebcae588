/* SPDX-License-Identifier: MIT */
/*
 * demangled.h - demangles linkage names of C++, Rust and Fortran.
 *
 * The linkage name of nested templates is short, because its parts refer to each other, but the
 * demangled name may have gigabytes. So every demangled name ends at a limit, and the demangler stops
 * there.
 */
#ifndef SPOOR_DEMANGLED_H
#define SPOOR_DEMANGLED_H

#include <stdbool.h>
#include <stddef.h>

/* Size of the longest demangled name that spoor makes, stores or shows, with its NUL. */
#define SPOOR_NAME_BYTES 4096
/* The end of a name that was cut at the limit. */
#define SPOOR_NAME_CUT "..."

/* Collects the pieces that a demangler makes. Cuts the rest off if it does not fit. */
struct spoor_text {
	char bytes[SPOOR_NAME_BYTES];
	size_t used;	/* without the NUL */
	bool is_cut;	/* a piece did not fit */
};

/* Appends to @text, a struct spoor_text. */
void spoor_text_add(const char *piece, size_t bytes, void *text);

/*
 * spoor_demangle - demangles @name into @text; ends with SPOOR_NAME_CUT if the name reaches the limit.
 * @parameters: with the types of a function's parameters
 *
 * Calls no malloc; its stack is deep.
 *
 * Return: @text's bytes, or null if @name is not mangled.
 */
const char *spoor_demangle(const char *name, bool parameters, struct spoor_text *text);

/* Cuts a name from another demangler at the limit, in place. */
void spoor_name_cut(char *name);

/* False for most names that are not mangled. */
static inline bool spoor_may_be_mangled(const char *name)
{
	return name[0] == '_';
}

#endif
