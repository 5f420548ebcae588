/* SPDX-License-Identifier: MIT */
/* entry_block.c - keeps a function's entry sled out of loops. */
#include "pass/sleds/entry_block.h"

#include "pass/sleds/placeholder.h"

#include <stdbool.h>
#include <stddef.h>

/* The users of a block are the branches to it, and its address if that is taken. */
static bool has_several_users(LLVMBasicBlockRef block)
{
	LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));

	return use && LLVMGetNextUse(use);
}

/* Tells if the entry block leads into a loop without a branch in between. */
static bool runs_into_a_loop(LLVMBasicBlockRef block)
{
	for (;;) {
		LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);

		if (LLVMGetInstructionOpcode(terminator) != LLVMBr || LLVMIsConditional(terminator))
			return false;
		/* The walk ends, because each block has only the one before it as a user. */
		block = LLVMGetSuccessor(terminator, 0);
		if (has_several_users(block))
			return true;
	}
}

void entry_block_keep(LLVMValueRef function)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);

	if (runs_into_a_loop(entry))
		placeholder_insert(LLVMGetBasicBlockTerminator(entry));
}
