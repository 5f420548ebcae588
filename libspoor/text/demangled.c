/* SPDX-License-Identifier: MIT */
/* demangled.c - calls libiberty's demanglers, and stops them when the name reaches the size limit. */
#include "text/demangled.h"

#include "text/fortran_name.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

/* A demangler's output, and the jump that ends a demangler whose output is full. */
struct output {
	struct spoor_text *text;
	jmp_buf full;
};

typedef int demangler(const char *name, int options, demangle_callbackref add, void *opaque);

void spoor_text_add(const char *piece, size_t bytes, void *opaque)
{
	struct spoor_text *text = opaque;

	if (bytes >= sizeof(text->bytes) - text->used) {
		bytes = sizeof(text->bytes) - 1 - text->used;
		text->is_cut = true;
	}
	memcpy(text->bytes + text->used, piece, bytes);
	text->used += bytes;
	text->bytes[text->used] = '\0';
}

/* Ends @name, of at least SPOOR_NAME_BYTES - 1 bytes, with SPOOR_NAME_CUT; never within a UTF-8 character.
 * Returns the new length. */
static size_t mark_cut(char *name)
{
	size_t end = SPOOR_NAME_BYTES - sizeof(SPOOR_NAME_CUT);

	while (end && ((unsigned char)name[end] & 0xc0) == 0x80)
		end--;
	memcpy(name + end, SPOOR_NAME_CUT, sizeof(SPOOR_NAME_CUT));
	return end + sizeof(SPOOR_NAME_CUT) - 1;
}

void spoor_name_cut(char *name)
{
	if (strnlen(name, SPOOR_NAME_BYTES) == SPOOR_NAME_BYTES)
		mark_cut(name);
}

static void add_until_full(const char *piece, size_t bytes, void *opaque)
{
	struct output *output = opaque;

	spoor_text_add(piece, bytes, output->text);
	if (output->text->is_cut)
		longjmp(output->full, 1);
}

/* Returns whether @name is mangled in this demangler's scheme. */
static bool run(demangler *demangle, const char *name, int options, struct spoor_text *text)
{
	struct output output = { .text = text };

	text->used = 0;
	text->is_cut = false;
	/* The jump leaks no memory: while they print, the demanglers use only the stack. */
	if (setjmp(output.full) == 0)
		return demangle(name, options, add_until_full, &output) && text->used;
	text->used = mark_cut(text->bytes);
	return true;
}

/* Uses the callback forms of the demanglers, which do not call the program's malloc. */
const char *spoor_demangle(const char *name, bool parameters, struct spoor_text *text)
{
	int options = DMGL_ANSI | (parameters ? DMGL_PARAMS : 0);

	if (!spoor_may_be_mangled(name))
		return NULL;
	if (run(rust_demangle_callback, name, options, text))
		return text->bytes;
	if ((name[1] == 'Z' || strncmp(name, "_GLOBAL_", 8) == 0) && run(cplus_demangle_v3_callback, name, options, text))
		return text->bytes;
	return spoor_fortran_name(name, text->bytes, sizeof(text->bytes)) ? text->bytes : NULL;
}
