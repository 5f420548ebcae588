/* SPDX-License-Identifier: MIT */
/* intrinsics.h - LLVM's own functions, which have numbers in one version and names in all. */
#ifndef SPOOR_PASS_INTRINSICS_H
#define SPOOR_PASS_INTRINSICS_H

#include <llvm-c/Core.h>

#include <stdbool.h>

/* The name of the one that an instruction calls, or null; a call of none is the common case. */
const char *intrinsic_called(LLVMValueRef instruction);
/* Whether an instruction calls one of them whose name begins so. */
bool intrinsic_begins(LLVMValueRef instruction, const char *prefix);

#endif
