/* SPDX-License-Identifier: MIT */
/* nop_entry.h - x86-64: an entry sled that costs nothing while it is dormant. */
#ifndef SPOOR_PASS_NOP_ENTRY_H
#define SPOOR_PASS_NOP_ENTRY_H

#include <llvm-c/Core.h>

#include <stdint.h>

/*
 * nop_entry_add - begins @function with our entry sled instead of LLVM's.
 *
 * LLVM's sled is a jump, which costs a cycle for each call; one nop of the same length has no
 * measurable cost. No sled map lists it, but the function table has a flag for it.
 *
 * Returns the flags of the function's entry in the table (enum spoor_function_flags), or 0 if
 * the function keeps LLVM's sled.
 */
uint32_t nop_entry_add(LLVMValueRef function);

#endif
