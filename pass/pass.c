/* SPDX-License-Identifier: MIT */
/*
 * pass.c - marks the functions of a unit for sleds, and lists them.
 *
 * LLVM's code generator makes the sleds, from string attributes, for every
 * return and tail call of a function; they travel in bitcode to where code is
 * generated. There, functions that are inlined into others lose their sleds
 * with their code, and those that remain have what this pass has given them.
 */
#include "pass.h"

#include "attributes.h"
#include "eligibility.h"
#include "entry_block.h"
#include "function_table.h"
#include "llvm_more.h"
#include "marks.h"
#include "nothing.h"
#include "registration.h"
#include "start_asleep.h"
#include "unit_id.h"
#include "unwind_marks.h"

#include <llvm/Config/llvm-config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* llvm/Support/CodeGen.h */
#define CODE_MODEL_LARGE 4

/* A sled reaches two gigabytes. */
static bool code_is_in_reach(LLVMModuleRef module)
{
	static const char flag[] = "Code Model";
	LLVMMetadataRef model = LLVMGetModuleFlag(module, flag, strlen(flag));
	LLVMContextRef context = LLVMGetModuleContext(module);

	return !model || LLVMConstIntGetZExtValue(LLVMGetOperand(
				 LLVMMetadataAsValue(context, model), 0)) != CODE_MODEL_LARGE;
}

/* Whether LLVM emits sleds that a runtime of ours can patch; if not, @why says what for. */
static bool target_is_supported(LLVMModuleRef module, const char **why)
{
	const char *triple = LLVMGetTarget(module);
	bool architecture = strncmp(triple, "x86_64-", 7) == 0 ||
			    strncmp(triple, "aarch64-", 8) == 0;

	*why = triple;
	if (!architecture || !strstr(triple, "-linux") || strstr(triple, "x32") ||
	    strstr(triple, "_ilp32"))
		return false;
	*why = "code of this size (-mcmodel=large)";
	return code_is_in_reach(module);
}

/* What else there is to know of a function, from one walk over its instructions. */
struct survey {
	bool has_stack_objects;
	bool has_indirect_tail_calls;
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

static void survey_instruction(struct survey *survey, LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMAlloca:
		survey->has_stack_objects = true;
		break;
	case LLVMCall:
		if (is_indirect_tail_call(instruction))
			survey->has_indirect_tail_calls = true;
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

/*
 * A tail call's sled, once patched, writes below the stack pointer, where LLVM
 * may have left the table that it jumps through.
 */
static void forbid_indirect_tail_calls(LLVMValueRef function)
{
	LLVMValueRef instruction = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));

	for (; instruction; instruction = next_instruction(instruction))
		if (LLVMGetInstructionOpcode(instruction) == LLVMCall &&
		    is_indirect_tail_call(instruction))
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
			nothing_insert(instruction);
}

static int instrument(struct function_table *table, LLVMValueRef function, uint32_t position)
{
	LLVMValueRef instruction = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
	struct survey survey = {false, false};

	for (; instruction; instruction = next_instruction(instruction))
		survey_instruction(&survey, instruction);
	if (survey.has_stack_objects && survey.has_indirect_tail_calls)
		forbid_indirect_tail_calls(function);
	if (may_jump_out_conditionally(table->module, function))
		keep_tail_calls_apart(function);
	entry_block_keep(function);

	attribute_set(function, "function-instrument", "xray-always");
	attribute_set(function, "xray-instruction-threshold", "1");
	/* From -fxray-instrumentation-bundle=: half of the sleds is no use. */
	attribute_remove(function, "xray-skip-entry");
	attribute_remove(function, "xray-skip-exit");
	return function_table_add(table, function, position,
				  unwind_marks_add(function) ? SPOOR_FUNCTION_LANDING_PADS : 0);
}

/* Under -fxray-instrument LLVM would give it sleds unasked. */
static void leave_out(LLVMValueRef function)
{
	if (!attribute_is_set(function, "function-instrument") &&
	    !attribute_is_set(function, "xray-instruction-threshold"))
		return;
	attribute_set(function, "function-instrument", "xray-never");
	attribute_remove(function, "xray-instruction-threshold");
}

static int instrument_all(struct function_table *table, const struct resolvers *resolvers)
{
	LLVMValueRef function;
	uint32_t position = 0;
	int result = 0;

	for (function = LLVMGetFirstFunction(table->module); function && result >= 0;
	     function = LLVMGetNextFunction(function)) {
		if (LLVMIsDeclaration(function))
			continue;
		if (!function_table_has(table, function)) {
			if (eligibility_of(function, resolvers) == ELIGIBLE)
				result = instrument(table, function, position);
			else
				leave_out(function);
		}
		position++;
	}
	return result < 0 ? result : function_table_commit(table);
}

void spoor_pass_start(LLVMModuleRef module, enum spoor_marks marks)
{
	const char *why;
	bool supported = target_is_supported(module, &why);

	marks_read(module, marks, supported);
	if (supported)
		unit_id_note(module);
}

static uint32_t asleep(const struct spoor_options *options)
{
	return (options->initialize_runtime ? 0 : SPOOR_ASLEEP_NOT_INITIALIZED) |
	       (options->enable_runtime ? 0 : SPOOR_ASLEEP_NOT_ENABLED);
}

static int fail(LLVMModuleRef module, int error)
{
	spoor_report_error(module, error == -ERANGE
			   ? "spoor: too many functions in one unit; split it, or use -fno-spoor"
			   : "spoor: out of memory while instrumenting");
	return error;
}

int spoor_pass_run(LLVMModuleRef module, const struct spoor_options *options)
{
	struct function_table table = {0};
	struct resolvers resolvers = {0};
	const char *why;
	uint32_t unit;
	int result;

	if (!target_is_supported(module, &why)) {
		/* Not through clang, where -Werror would make an error of it. */
		fprintf(stderr, "spoor: warning: there is no tracing of %s; "
			"this unit is compiled without\n", why);
		return 0;
	}
	unit = unit_id_take(module, options->module_id);
	if (!options->inject_instrumentation)
		return 0;
	result = resolvers_find(&resolvers, module);
	if (result >= 0)
		result = function_table_open(&table, module, unit);
	if (result >= 0)
		result = instrument_all(&table, &resolvers);
	if (result >= 0)
		result = start_asleep_note(module, asleep(options));
	function_table_close(&table);
	resolvers_free(&resolvers);
	return result < 0 ? fail(module, result) : 0;
}
