/* SPDX-License-Identifier: MIT */
/* entry_block.h - keeps a function's entry sled out of its loops. */
#ifndef SPOOR_PASS_ENTRY_BLOCK_H
#define SPOOR_PASS_ENTRY_BLOCK_H

#include <llvm-c/Core.h>

/*
 * entry_block_keep - sees to it that the entry block stays a block of its own.
 *
 * LLVM puts the entry sled at the beginning of a function's first block, after
 * the last optimisation. A loop that begins there, because nothing is left to
 * do before it, would enter the function again each time round.
 */
void entry_block_keep(LLVMValueRef function);

#endif
