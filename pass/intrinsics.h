/* SPDX-License-Identifier: MIT */
/* intrinsics.h - finds calls of LLVM's intrinsic functions by name: their numbers differ between versions. */
#ifndef SPOOR_PASS_INTRINSICS_H
#define SPOOR_PASS_INTRINSICS_H

#include <llvm-c/Core.h>

#include <stdbool.h>

/* The name of the intrinsic that an instruction calls, or null, which is the common case. */
const char *intrinsic_called(LLVMValueRef instruction);
/* Tells if an instruction calls an intrinsic whose name begins with @prefix. */
bool intrinsic_begins(LLVMValueRef instruction, const char *prefix);

#endif
