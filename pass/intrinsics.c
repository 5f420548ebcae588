/* SPDX-License-Identifier: MIT */
/* intrinsics.c - finds calls of LLVM's intrinsic functions by name. */
#include "pass/intrinsics.h"

#include <string.h>

const char *intrinsic_called(LLVMValueRef instruction)
{
	LLVMValueRef callee;
	size_t length;

	if (!LLVMIsACallInst(instruction) && !LLVMIsAInvokeInst(instruction))
		return NULL;
	callee = LLVMGetCalledValue(instruction);
	return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) ? LLVMGetValueName2(callee, &length) : NULL;
}

bool intrinsic_begins(LLVMValueRef instruction, const char *prefix)
{
	const char *name = intrinsic_called(instruction);

	return name && strncmp(name, prefix, strlen(prefix)) == 0;
}
