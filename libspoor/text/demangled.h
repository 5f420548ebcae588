/* SPDX-License-Identifier: MIT */
/*
 * demangled.h - linkage names as the source has them: C++, Rust, Fortran.
 *
 * A name of nested templates has a short linkage name, whose compressed parts refer to each other,
 * and may have gigabytes when it is written out. So every demangled name ends at a limit, and the
 * demangler stops there.
 */
#ifndef SPOOR_DEMANGLED_H
#define SPOOR_DEMANGLED_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the longest demangled name that is made, stored or shown, with the zero at its end. */
#define SPOOR_NAME_BYTES 4096
/* The end of a name that was cut off at the limit. */
#define SPOOR_NAME_CUT "..."

/* Receives a name in the pieces that a demangler makes; what does not fit is cut off. */
struct spoor_text {
	char bytes[SPOOR_NAME_BYTES];
	size_t used;	/* without the zero at the end */
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

/* Shortens a name that someone else has demangled to the limit, in place. */
void spoor_name_cut(char *name);

/* Every mangled name begins like this. */
static inline bool spoor_may_be_mangled(const char *name)
{
	return name[0] == '_';
}

#endif
