/* SPDX-License-Identifier: MIT */
/* placeholder.h - an instruction that emits no code and keeps its place. */
#ifndef SPOOR_PASS_PLACEHOLDER_H
#define SPOOR_PASS_PLACEHOLDER_H

#include <llvm-c/Core.h>

/*
 * placeholder_insert - inserts an empty assembler statement before an instruction.
 *
 * The code generator assumes that the statement has unknown effects: a block with it
 * is not empty, and the next instruction is not the block's first.
 */
void placeholder_insert(LLVMValueRef before);

#endif
