/* SPDX-License-Identifier: MIT */
/*
 * calls.c - call mode: adds code that calls the runtime at the begin and the end of a function.
 *
 * The function is surveyed completely before the first change, so that new calls and
 * blocks are not taken for the function's own.
 */
#include "pass/calls/calls.h"

#include "pass/attributes.h"
#include "pass/calls/injected.h"
#include "pass/intrinsics.h"
#include "pass/llvm_more.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RUNTIME "_spoor_runtime_"
#define MARK "spoor-calls"

/* A list of instructions. */
struct places {
	LLVMValueRef *list;
	size_t count, room;
};

static int places_add(struct places *places, LLVMValueRef instruction)
{
	if (places->count == places->room) {
		size_t room = places->room ? 2 * places->room : 16;
		LLVMValueRef *list = realloc(places->list, room * sizeof *list);

		if (!list)
			return -ENOMEM;
		places->list = list;
		places->room = room;
	}
	places->list[places->count++] = instruction;
	return 0;
}

/* The places of one function where code is added. */
struct work {
	LLVMValueRef function;
	uint64_t id;
	struct places exits;
	struct places pads;	/* landing pads that some exceptions pass by */
	struct places calls;	/* calls that may throw */
};

static LLVMValueRef first_after_allocations(LLVMBasicBlockRef block)
{
	LLVMValueRef instruction = LLVMGetFirstInstruction(block);

	while (LLVMGetInstructionOpcode(instruction) == LLVMAlloca || LLVMGetInstructionOpcode(instruction) == LLVMPHI ||
	       intrinsic_begins(instruction, "llvm.dbg."))
		instruction = LLVMGetNextInstruction(instruction);
	return instruction;
}

/* Tells if every exception that reaches the frame stops at the pad. */
static bool stops_all(LLVMValueRef pad)
{
	unsigned clauses = LLVMGetNumClauses(pad);

	if (LLVMIsCleanup(pad))
		return true;
	for (unsigned i = 0; i < clauses; i++)
		if (LLVMIsNull(LLVMGetClause(pad, i)))
			return true;
	return false;
}

/* Tells if the second field of a pad's value is the number of the clause, with 0 for none. */
static bool has_selector(LLVMValueRef pad)
{
	LLVMTypeRef type = LLVMTypeOf(pad);

	return LLVMGetTypeKind(type) == LLVMStructTypeKind && LLVMCountStructElementTypes(type) == 2 &&
	       LLVMGetTypeKind(LLVMStructGetTypeAtIndex(type, 1)) == LLVMIntegerTypeKind;
}

static int survey(struct work *work, LLVMValueRef instruction, bool may_throw)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMRet:
		return places_add(&work->exits, spoor_return_begin(instruction, true));
	case LLVMResume:
		return places_add(&work->exits, instruction);
	case LLVMLandingPad:
		if (may_throw && !stops_all(instruction) && has_selector(instruction))
			return places_add(&work->pads, instruction);
		return 0;
	case LLVMCall:
		return may_throw && spoor_call_may_throw(instruction) ? places_add(&work->calls, instruction) : 0;
	default:
		return 0;
	}
}

static bool is_among(const struct places *places, LLVMValueRef instruction)
{
	for (size_t i = 0; i < places->count; i++)
		if (places->list[i] == instruction)
			return true;
	return false;
}

static int survey_all(struct work *work)
{
	bool may_throw = !attribute_own_is_set(work->function, "nounwind");
	LLVMBasicBlockRef block;
	LLVMValueRef instruction;
	int result = 0;

	spoor_returns_part(work->function);
	for (block = LLVMGetFirstBasicBlock(work->function); block && result >= 0; block = LLVMGetNextBasicBlock(block))
		for (instruction = LLVMGetFirstInstruction(block); instruction && result >= 0;
		     instruction = LLVMGetNextInstruction(instruction))
			result = survey(work, instruction, may_throw);
	return result;
}

static void log_exit(const struct work *work, LLVMValueRef before)
{
	injected_log(before, RUNTIME "LogFunctionExit", work->id);
}

/* Makes the landing pad stop every exception. An exception that the pad would have let pass logs the exit and
 * continues. */
static void leave_from_pad(const struct work *work, LLVMValueRef pad)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(pad)));
	LLVMValueRef next = LLVMGetNextInstruction(pad), none, branch, resume;

	LLVMSetCleanup(pad, 1);
	LLVMPositionBuilderBefore(builder, next);
	none = LLVMBuildIsNull(builder, LLVMBuildExtractValue(builder, pad, 1, ""), "");
	branch = spoor_insert_if(none, next);
	LLVMPositionBuilderBefore(builder, branch);
	resume = LLVMBuildResume(builder, pad);
	LLVMInstructionEraseFromParent(branch);
	log_exit(work, resume);
	LLVMDisposeBuilder(builder);
}

static LLVMValueRef personality(LLVMModuleRef module)
{
	static const char name[] = "__gcc_personality_v0";	/* knows only cleanups */
	LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
	LLVMValueRef function = LLVMGetNamedFunction(module, name);

	return function ? function : LLVMAddFunction(module, name, LLVMFunctionType(word, NULL, 0, 1));
}

/* Adds one landing pad, for exceptions that no other pad of the function stops. */
static void leave_from_calls(const struct work *work)
{
	LLVMModuleRef module = LLVMGetGlobalParent(work->function);
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef fields[] = {LLVMPointerType(LLVMInt8TypeInContext(context), 0), LLVMInt32TypeInContext(context)};
	LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(context, work->function, "");
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMValueRef pad, resume;

	if (!LLVMHasPersonalityFn(work->function))
		LLVMSetPersonalityFn(work->function, personality(module));
	LLVMPositionBuilderAtEnd(builder, block);
	pad = LLVMBuildLandingPad(builder, LLVMStructTypeInContext(context, fields, 2, 0), NULL, 0, "");
	LLVMSetCleanup(pad, 1);
	resume = LLVMBuildResume(builder, pad);
	log_exit(work, resume);
	LLVMDisposeBuilder(builder);
	for (size_t i = work->calls.count; i-- > 0;)
		/* An exit is logged before a tail call is made, so its exceptions do not count. */
		if (!is_among(&work->exits, work->calls.list[i]))
			spoor_call_catch(work->calls.list[i], block);
}

static bool any_call_remains(const struct work *work)
{
	for (size_t i = 0; i < work->calls.count; i++)
		if (!is_among(&work->exits, work->calls.list[i]))
			return true;
	return false;
}

static int add(struct work *work)
{
	int result = survey_all(work);

	if (result < 0)
		return result;
	injected_log(first_after_allocations(LLVMGetEntryBasicBlock(work->function)), RUNTIME "LogFunctionEntry",
		     work->id);
	for (size_t i = 0; i < work->exits.count; i++)
		log_exit(work, work->exits.list[i]);
	for (size_t i = 0; i < work->pads.count; i++)
		leave_from_pad(work, work->pads.list[i]);
	if (any_call_remains(work))
		leave_from_calls(work);
	return 0;
}

bool calls_have(LLVMValueRef function)
{
	return attribute_is_set(function, MARK);
}

/*
 * Prevents inlining: the calls contain the function's position in the table, so its code must not
 * move to another function and lose its entry. A function that must be inlined is kept, too.
 */
static int keep_apart(struct function_table *table, LLVMValueRef function, uint32_t position)
{
	static const char noinline[] = "noinline";
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	bool must_be_inlined = attribute_own_is_set(function, "alwaysinline");

	if (!must_be_inlined)
		LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
					LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName(
						noinline, strlen(noinline)), 0));
	return !table ? 0 : must_be_inlined ? function_table_add_kept(table, function, position)
					    : function_table_add(table, function, position, 0);
}

int calls_add(struct function_table *table, LLVMValueRef function, uint32_t unit, uint32_t position)
{
	struct work work = {.function = function, .id = (uint64_t)unit << 32 | position};
	int result = add(&work);

	free(work.exits.list);
	free(work.pads.list);
	free(work.calls.list);
	if (result < 0)
		return result;
	attribute_set(function, MARK, "logged");
	return keep_apart(table, function, position);
}

void calls_frame_main(LLVMModuleRef module, const struct spoor_options *options)
{
	LLVMValueRef function = LLVMGetNamedFunction(module, "main"), begin;
	LLVMBasicBlockRef block;

	if (!function || LLVMIsDeclaration(function) || LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage ||
	    attribute_own_is_set(function, "naked") || attribute_is_set(function, MARK "-main"))
		return;
	attribute_set(function, MARK "-main", "framed");
	begin = first_after_allocations(LLVMGetEntryBasicBlock(function));
	if (options->initialize_runtime)
		injected_call(begin, RUNTIME "Initialize");
	if (options->enable_runtime)
		injected_call(begin, RUNTIME "Enable");
	for (block = LLVMGetFirstBasicBlock(function); block && options->initialize_runtime;
	     block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(block);

		if (LLVMGetInstructionOpcode(last) == LLVMRet)
			injected_call(spoor_return_begin(last, false), RUNTIME "Deinitialize");
	}
}
