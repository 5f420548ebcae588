/* SPDX-License-Identifier: MIT */
/*
 * injected.c - adds single calls of the runtime.
 *
 * Each call gets a source location if the function has one: LLVM cannot inline into a call
 * without one, if the runtime is linked in as bitcode.
 */
#include "pass/calls/injected.h"

#include <llvm-c/DebugInfo.h>

#include <string.h>

static LLVMMetadataRef place_of(LLVMValueRef before)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(before));
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function), place = NULL;
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));

	if (!subprogram)
		return NULL;
	if (LLVMIsATerminatorInst(before))
		place = LLVMInstructionGetDebugLoc(before);
	return place ? place : LLVMDIBuilderCreateDebugLocation(context, LLVMDISubprogramGetLine(subprogram), 0,
								subprogram, NULL);
}

static void call(LLVMValueRef before, const char *name, LLVMTypeRef type, LLVMValueRef *argument, unsigned count)
{
	LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(before)));
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMValueRef callee = LLVMGetNamedFunction(module, name), made;
	unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", strlen("nounwind"));
	LLVMMetadataRef place = place_of(before);

	if (!callee)
		callee = LLVMAddFunction(module, name, type);
	/* The program may have declared the function differently; pointers have types in LLVM 14. */
	if (LLVMGlobalGetValueType(callee) != type)
		callee = LLVMConstBitCast(callee, LLVMPointerType(type, 0));
	LLVMPositionBuilderBefore(builder, before);
	made = LLVMBuildCall2(builder, type, callee, argument, count, "");
	LLVMAddCallSiteAttribute(made, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, nounwind, 0));
	LLVMInstructionSetDebugLoc(made, place);
	LLVMDisposeBuilder(builder);
}

static LLVMContextRef context_of(LLVMValueRef instruction)
{
	return LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(LLVMGetInstructionParent(instruction))));
}

void injected_call(LLVMValueRef before, const char *name)
{
	LLVMContextRef context = context_of(before);

	call(before, name, LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, 0), NULL, 0);
}

void injected_log(LLVMValueRef before, const char *name, uint64_t id)
{
	LLVMContextRef context = context_of(before);
	LLVMTypeRef word = LLVMInt64TypeInContext(context);
	LLVMValueRef argument = LLVMConstInt(word, id, 0);

	call(before, name, LLVMFunctionType(LLVMVoidTypeInContext(context), &word, 1, 0), &argument, 1);
}
