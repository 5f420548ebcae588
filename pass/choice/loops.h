/* SPDX-License-Identifier: MIT */
/* loops.h - finds out whether a function has loops. */
#ifndef SPOOR_PASS_LOOPS_H
#define SPOOR_PASS_LOOPS_H

#include <llvm-c/Core.h>

#include <stdbool.h>

/* Recursive calls do not count. Returns true without memory. */
bool loops_are_in(LLVMValueRef function);

#endif
