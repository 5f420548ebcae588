/* SPDX-License-Identifier: MIT */
/*
 * always.c - finds the functions that the source marks with SPOOR_ALWAYS.
 *
 * SPOOR_ALWAYS is an annotation, which clang lists in llvm.global.annotations. XRay's
 * attribute for the same purpose is in LLVM's code only if XRay's flags are given.
 */
#include "pass/choice/always.h"

#include "pass/attributes.h"

#include <string.h>

/* The object that an address belongs to, without casts: pointers have types in LLVM 14. */
static LLVMValueRef strip_casts(LLVMValueRef value)
{
	while (LLVMIsAConstantExpr(value))
		value = LLVMGetOperand(value, 0);
	return value;
}

static bool says_always(LLVMValueRef text)
{
	static const char wanted[] = "spoor_always";
	LLVMValueRef global = strip_casts(text), content;
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
		function = strip_casts(LLVMGetOperand(entry, 0));
		if (LLVMIsAFunction(function) && says_always(LLVMGetOperand(entry, 1)))
			attribute_set(function, ALWAYS_ATTRIBUTE, "true");
	}
}
