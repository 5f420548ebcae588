/* SPDX-License-Identifier: MIT */
/* gcc_function.h - what the plugin's passes know of the function that GCC compiles now. */
#ifndef SPOOR_GCC_FUNCTION_H
#define SPOOR_GCC_FUNCTION_H

#include "pass/gcc/gcc_headers.h"

#include "format/registration.h"

struct gcc_function_state {
	tree decl;
	unsigned number;		/* names its labels: .Lspoor_<number>_<sled> */
	uint32_t statements;
	bool has_loop;
	bool always, ruled, is_wanted;
	const char *reason;		/* why it is left out, or the deciding rule; may be null */
	bool has_marks;
	/* Set when it has sleds. */
	bool has_sleds;
	bool begins_with_pad;		/* four bytes for indirect branches come first */
	bool entry_in_map;
	bool begin_is_set;		/* the sled's assembly defines the label .Lspoor_<number>_b */
	std::vector<spoor_sled_kind> sleds;	/* the exits and tail calls; their labels count from 1 */
};

extern gcc_function_state gcc_now;

/* Fills gcc_now for @fun, whose body is GIMPLE, and adds the body to the unit's hash. */
void gcc_function_begin(function *fun);

/* Forgets another function: @fun has only RTL. */
void gcc_function_continue(function *fun);

bool gcc_begins_with(const char *text, const char *prefix);

/* Tells if @decl, or its type, has an attribute. */
bool gcc_function_has(tree decl, const char *attribute);

/* Adds gcc_now to the unit's symbols. @reason: why it is left out after all, or null. */
void gcc_function_describe(const char *reason);

#endif
