/* SPDX-License-Identifier: MIT */
/*
 * sleds.c - gives a function its sleds, and its entry in the function table.
 *
 * LLVM's code generator makes the sleds, from string attributes, for every
 * return and tail call of a function; they travel in bitcode to where code is
 * generated. There, functions that are inlined into others lose their sleds
 * with their code, and those that remain have what they were given here.
 */
#include "pass/sleds.h"

#include "pass/attributes.h"
#include "pass/entry_block.h"
#include "pass/llvm_more.h"
#include "pass/nop_entry.h"
#include "pass/placeholder.h"
#include "format/registration.h"
#include "pass/unwind_marks.h"

#include <llvm/Config/llvm-config.h>

#include <stdbool.h>
#include <string.h>

/* What else there is to know of a function, from one walk over its instructions. */
struct survey {
	bool has_stack_objects;
	bool has_indirect_tail_calls, has_checked_tail_calls;
};

/* One that the code generator may turn into a jump through a register or memory. */
static bool is_indirect_tail_call(LLVMValueRef call)
{
	LLVMValueRef callee;

	if (!LLVMIsTailCall(call) || spoor_call_is_must_tail(call))
		return false;
	callee = LLVMGetCalledValue(call);
	return !LLVMIsConstant(callee) && !LLVMIsAInlineAsm(callee);
}

/* One whose sled would cost it its jump (eligibility.c). */
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
 * Where it optimises for size, LLVM 14 makes one jump of a branch to a tail call,
 * and leaves the sled in front of it, where it must stay dormant: the flags are
 * live, and the exit may not be taken. A profile makes it do so in any function
 * that has cold code. Only a call with nothing in front of it is meant.
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
	/* A tail call's sled, once patched, writes below the stack pointer, where LLVM may have left the
	 * table that it jumps through. */
	if (survey.has_stack_objects && survey.has_indirect_tail_calls)
		forbid_tail_calls(function, is_indirect_tail_call);
	else if (survey.has_checked_tail_calls)
		forbid_tail_calls(function, is_checked_tail_call);
	if (may_jump_out_conditionally(table->module, function))
		keep_tail_calls_apart(function);

	attribute_set(function, "function-instrument", "xray-always");
	attribute_set(function, "xray-instruction-threshold", "1");
	/* From -fxray-instrumentation-bundle=: half of the sleds is no use. */
	attribute_remove(function, "xray-skip-entry");
	attribute_remove(function, "xray-skip-exit");
	flags = nop_entry_add(function);
	if (!flags)
		entry_block_keep(function);
	if (unwind_marks_add(function))
		flags |= SPOOR_FUNCTION_LANDING_PADS;
	return function_table_add(table, function, position, flags);
}

/* Under -fxray-instrument LLVM would give it sleds unasked. */
void sleds_leave_out(LLVMValueRef function)
{
	if (!attribute_is_set(function, "function-instrument") &&
	    !attribute_is_set(function, "xray-instruction-threshold"))
		return;
	attribute_set(function, "function-instrument", "xray-never");
	attribute_remove(function, "xray-instruction-threshold");
}
