/* SPDX-License-Identifier: MIT */
/* intrinsics.c - LLVM's own functions, by name. */
#include "intrinsics.h"

#include <string.h>

bool intrinsic_begins(LLVMValueRef instruction, const char *prefix)
{
	LLVMValueRef callee;
	size_t length;

	if (LLVMGetInstructionOpcode(instruction) != LLVMCall)
		return false;
	callee = LLVMGetCalledValue(instruction);
	return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) &&
	       strncmp(LLVMGetValueName2(callee, &length), prefix, strlen(prefix)) == 0;
}
