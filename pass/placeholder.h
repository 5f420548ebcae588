/* SPDX-License-Identifier: MIT */
/* placeholder.h - an instruction that makes no code and keeps its place. */
#ifndef SPOOR_PASS_NOTHING_H
#define SPOOR_PASS_NOTHING_H

#include <llvm-c/Core.h>

/*
 * placeholder_insert - puts an assembler statement without a byte before an instruction.
 *
 * To the code generator it is one that does something unknown: a block that has
 * it is not empty, and what stands behind it is not the block's first.
 */
void placeholder_insert(LLVMValueRef before);

#endif
