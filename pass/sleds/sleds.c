/* SPDX-License-Identifier: MIT */
/*
 * sleds.c - gives a function its sleds, and its entry in the function table.
 *
 * LLVM's code generator emits sleds at the entry and at every return and tail call of a
 * function with certain string attributes. Bitcode preserves the attributes. A function
 * that is inlined before code generation loses its sleds with its code; every function
 * that remains has the attributes that it got here.
 */
#include "pass/sleds/sleds.h"

#include "pass/attributes.h"
#include "pass/sleds/entry_block.h"
#include "pass/llvm_more.h"
#include "pass/sleds/nop_entry.h"
#include "pass/sleds/placeholder.h"
#include "format/registration.h"
#include "pass/sleds/unwind_marks.h"

#include <llvm/Config/llvm-config.h>

#include <stdbool.h>
#include <string.h>

/* Other properties of a function, found in one walk through its instructions. */
struct survey {
	bool has_stack_objects;
	bool has_indirect_tail_calls, has_checked_tail_calls;
};

/* Tells if the code generator may turn a call into a jump through a register or memory. */
static bool is_indirect_tail_call(LLVMValueRef call)
{
	LLVMValueRef callee;

	if (!LLVMIsTailCall(call) || spoor_call_is_must_tail(call))
		return false;
	callee = LLVMGetCalledValue(call);
	return !LLVMIsConstant(callee) && !LLVMIsAInlineAsm(callee);
}

/* Tells if a tail call would lose its jump if a sled preceded it (eligibility.c). */
static bool is_checked_tail_call(LLVMValueRef call)
{
	return is_indirect_tail_call(call) && spoor_call_is_checked(call);
}

static void survey_instruction(struct survey *survey, LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMAlloca:
		survey->has_stack_objects = true;
		break;
	case LLVMCall:
		survey->has_indirect_tail_calls |= is_indirect_tail_call(instruction);
		survey->has_checked_tail_calls |= is_checked_tail_call(instruction);
		break;
	default:
		break;
	}
}

static LLVMValueRef next_instruction(LLVMValueRef instruction)
{
	LLVMValueRef next = LLVMGetNextInstruction(instruction);
	LLVMBasicBlockRef block;

	if (next)
		return next;
	block = LLVMGetNextBasicBlock(LLVMGetInstructionParent(instruction));
	return block ? LLVMGetFirstInstruction(block) : NULL;
}

static void forbid_tail_calls(LLVMValueRef function, bool (*are_meant)(LLVMValueRef call))
{
	LLVMValueRef instruction = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));

	for (; instruction; instruction = next_instruction(instruction))
		if (LLVMGetInstructionOpcode(instruction) == LLVMCall && are_meant(instruction))
			spoor_call_set_no_tail(instruction);
}

/*
 * When LLVM 14 optimises for size, it merges a branch to a tail call into one conditional jump,
 * and leaves the sled before it. There the sled must stay dormant: the flags are in use, and
 * the exit may not be taken. With a profile, LLVM does so in any function that has cold code.
 * Only a tail call that is alone in its block is affected.
 */
static bool may_jump_out_conditionally(LLVMModuleRef module, LLVMValueRef function)
{
	static const char profile[] = "ProfileSummary";

	return LLVM_VERSION_MAJOR < 19 &&
	       (attribute_own_is_set(function, "optsize") || attribute_own_is_set(function, "minsize") ||
		LLVMGetModuleFlag(module, profile, strlen(profile)));
}

static void keep_tail_calls_apart(LLVMValueRef function)
{
	LLVMValueRef instruction = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));

	for (; instruction; instruction = next_instruction(instruction))
		if (LLVMGetInstructionOpcode(instruction) == LLVMCall && LLVMIsTailCall(instruction))
			placeholder_insert(instruction);
}

int sleds_add(struct function_table *table, LLVMValueRef function, uint32_t position)
{
	LLVMValueRef instruction = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
	struct survey survey = {false, false, false};
	uint32_t flags;

	for (; instruction; instruction = next_instruction(instruction))
		survey_instruction(&survey, instruction);
	/* A patched sled of a tail call writes below the stack pointer, where LLVM may have left the table through
	 * which the call jumps. */
	if (survey.has_stack_objects && survey.has_indirect_tail_calls)
		forbid_tail_calls(function, is_indirect_tail_call);
	else if (survey.has_checked_tail_calls)
		forbid_tail_calls(function, is_checked_tail_call);
	if (may_jump_out_conditionally(table->module, function))
		keep_tail_calls_apart(function);

	attribute_set(function, "function-instrument", "xray-always");
	attribute_set(function, "xray-instruction-threshold", "1");
	/* Set by -fxray-instrumentation-bundle=. A function with only entry or exit sleds is useless. */
	attribute_remove(function, "xray-skip-entry");
	attribute_remove(function, "xray-skip-exit");
	flags = nop_entry_add(function);
	if (!flags)
		entry_block_keep(function);
	if (unwind_marks_add(function))
		flags |= SPOOR_FUNCTION_LANDING_PADS;
	return function_table_add(table, function, position, flags);
}

/* With -fxray-instrument, LLVM would emit sleds for every function. */
void sleds_leave_out(LLVMValueRef function)
{
	if (!attribute_is_set(function, "function-instrument") &&
	    !attribute_is_set(function, "xray-instruction-threshold"))
		return;
	attribute_set(function, "function-instrument", "xray-never");
	attribute_remove(function, "xray-instruction-threshold");
}
