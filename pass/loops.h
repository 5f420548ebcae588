/* SPDX-License-Identifier: MIT */
/* loops.h - whether a function can run a part of itself again. */
#ifndef SPOOR_PASS_LOOPS_H
#define SPOOR_PASS_LOOPS_H

#include <llvm-c/Core.h>

#include <stdbool.h>

/* Calls of itself are none. Without memory it says that there are. */
bool loops_are_in(LLVMValueRef function);

#endif
