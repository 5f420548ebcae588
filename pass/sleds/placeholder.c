/* SPDX-License-Identifier: MIT */
/* placeholder.c - an instruction that emits no code and keeps its place. */
#include "pass/sleds/placeholder.h"

#include <string.h>

void placeholder_insert(LLVMValueRef before)
{
	LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(before)));
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, 0);
	LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, "", 0, 1, 0, LLVMInlineAsmDialectATT, 0);
	unsigned nomerge = LLVMGetEnumAttributeKindForName("nomerge", strlen("nomerge"));
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);

	LLVMPositionBuilderBefore(builder, before);
	/* If both branches begin with a placeholder, LLVM must not merge the two before the branch. */
	LLVMAddCallSiteAttribute(LLVMBuildCall2(builder, type, nothing, NULL, 0, ""), LLVMAttributeFunctionIndex,
				 LLVMCreateEnumAttribute(context, nomerge, 0));
	LLVMDisposeBuilder(builder);
}
