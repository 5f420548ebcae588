/* SPDX-License-Identifier: MIT */
/*
 * redirect.h - leads calls of functions that are only declared through call slots.
 *
 * Invariants of a unit after redirect_calls
 *   I1  Every redirected call does the same as before: its slot leads to its function until a runtime changes that.
 *   I2  References that are no calls, such as a test whether a weak function exists, are unchanged.
 *   I3  A second run changes nothing.
 */
#ifndef SPOOR_REDIRECT_H
#define SPOOR_REDIRECT_H

#include "pass/choice/eligibility.h"

#include <llvm-c/Core.h>

#include <stddef.h>

/* A chosen function with a call that stays as it is. */
struct direct_call {
	LLVMValueRef callee;
	const char *reason;
};

struct direct_calls {
	struct direct_call *list;	/* at most one for each function */
	size_t count, room;
};

/*
 * redirect_calls - adds slots and wrappers, and redirects the calls.
 * @patterns: of functions, as in the option library_calls
 * @direct:   receives the calls that stay as they are; the caller frees them
 *
 * Returns 0, or -ENOMEM.
 */
int redirect_calls(LLVMModuleRef module, const char *patterns, const struct resolvers *resolvers, struct direct_calls *direct);

void direct_calls_free(struct direct_calls *direct);

#endif
