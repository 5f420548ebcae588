/* SPDX-License-Identifier: MIT */
/*
 * always.c - the functions that the source calls SPOOR_ALWAYS.
 *
 * It is an annotation, which clang lists in llvm.global.annotations. Of XRay's
 * attribute for the same clang says nothing unless XRay's flags are given.
 */
#include "pass/always.h"

#include "pass/attributes.h"

#include <string.h>

/* What an address is of: pointers have types, and casts, in 14. */
static LLVMValueRef strip(LLVMValueRef value)
{
	while (LLVMIsAConstantExpr(value))
		value = LLVMGetOperand(value, 0);
	return value;
}

static bool says_always(LLVMValueRef text)
{
	static const char wanted[] = "spoor_always";
	LLVMValueRef global = strip(text), content;
	const char *bytes;
	size_t length;

	content = LLVMIsAGlobalVariable(global) ? LLVMGetInitializer(global) : NULL;
	if (!content || !LLVMIsConstantString(content))
		return false;
	bytes = LLVMGetAsString(content, &length);
	return length == sizeof wanted && memcmp(bytes, wanted, sizeof wanted) == 0;
}

void always_read(LLVMModuleRef module)
{
	LLVMValueRef list = LLVMGetNamedGlobal(module, "llvm.global.annotations"), entries;
	int count;

	entries = list ? LLVMGetInitializer(list) : NULL;
	count = entries ? LLVMGetNumOperands(entries) : 0;
	for (int i = 0; i < count; i++) {
		LLVMValueRef entry = LLVMGetOperand(entries, (unsigned)i), function;

		if (LLVMGetNumOperands(entry) < 2)
			continue;
		function = strip(LLVMGetOperand(entry, 0));
		if (LLVMIsAFunction(function) && says_always(LLVMGetOperand(entry, 1)))
			attribute_set(function, ALWAYS_ATTRIBUTE, "true");
	}
}
