/* SPDX-License-Identifier: MIT */
/* nop_entry.h - x86-64: an entry sled that costs nothing while it is dormant. */
#ifndef SPOOR_PASS_NOP_ENTRY_H
#define SPOOR_PASS_NOP_ENTRY_H

#include <llvm-c/Core.h>

#include <stdint.h>

/*
 * nop_entry_add - begins @function with a sled of ours in the place of LLVM's.
 *
 * LLVM's is a jump, which costs a cycle a call; one nop of the same length costs nothing that
 * could be measured. It is in no map: the function table says that it is there.
 *
 * Return: what the function's entry in the table has to say (enum spoor_function_flags), or 0
 * where the function keeps LLVM's sled.
 */
uint32_t nop_entry_add(LLVMValueRef function);

#endif
