/* SPDX-License-Identifier: MIT */
/* keep_apart.h - keeps functions from being inlined, so that their calls stay calls and can be traced. */
#ifndef SPOOR_PASS_KEEP_APART_H
#define SPOOR_PASS_KEEP_APART_H

#include "pass/description/description.h"

#include <llvm-c/Core.h>

#include <stdbool.h>

/* Whether @patterns (text/pattern.h), which the user gave, choose the function by one of its names. "": no function. */
bool keep_apart_chooses(const char *patterns, struct description *description);

/*
 * keep_apart_function - keeps the optimiser from inlining the function and from removing its calls. Before the inliner.
 *
 * Does nothing to a function that must be inlined (the attribute always_inline). A second call changes nothing.
 */
void keep_apart_function(LLVMValueRef function);

#endif
