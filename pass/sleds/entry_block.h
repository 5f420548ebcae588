/* SPDX-License-Identifier: MIT */
/* entry_block.h - keeps a function's entry sled out of loops. */
#ifndef SPOOR_PASS_ENTRY_BLOCK_H
#define SPOOR_PASS_ENTRY_BLOCK_H

#include <llvm-c/Core.h>

/*
 * entry_block_keep - makes sure that the entry block is not part of a loop.
 *
 * LLVM puts the entry sled at the beginning of a function's first block, after
 * the last optimisation. If the first block is a loop's, because no other code
 * precedes the loop, each iteration would report an entry.
 */
void entry_block_keep(LLVMValueRef function);

#endif
