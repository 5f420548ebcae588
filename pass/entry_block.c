/* SPDX-License-Identifier: MIT */
/* entry_block.c - keeps a function's entry sled out of its loops. */
#include "pass/entry_block.h"

#include "pass/placeholder.h"

#include <stdbool.h>
#include <stddef.h>

/* Who refers to a block are those that branch to it; its address, if taken, counts as one. */
static bool has_several_users(LLVMBasicBlockRef block)
{
	LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));

	return use && LLVMGetNextUse(use);
}

/* Whether the way from the entry block leads into a loop without a decision. */
static bool runs_into_a_loop(LLVMBasicBlockRef block)
{
	for (;;) {
		LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);

		if (LLVMGetInstructionOpcode(terminator) != LLVMBr || LLVMIsConditional(terminator))
			return false;
		/* It ends: each block has the one before it as its only user. */
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
