/* SPDX-License-Identifier: MIT */
/* keep_apart.c - keeps functions from being inlined. */
#include "pass/choice/keep_apart.h"

#include "pass/attributes.h"
#include "pass/sleds/placeholder.h"
#include "text/demangled.h"
#include "text/pattern.h"

#include <stdlib.h>

#define KEPT_ATTRIBUTE "spoor-kept"

bool keep_apart_chooses(const char *patterns, struct description *description)
{
	struct spoor_text *text = *patterns ? malloc(sizeof *text) : NULL;
	const char *names[3];
	bool chosen;

	if (!text)
		return false;
	text->used = 0;
	text->is_cut = false;
	names[0] = description->linkage_name;
	names[1] = description_demangled(description);
	/* Without parameters. */
	names[2] = spoor_demangle(description->linkage_name, false, text);
	chosen = spoor_patterns_choose(patterns, names, 3);
	free(text);
	return chosen;
}

/* The optimiser turns only variables at the begin of a function into registers. */
static LLVMValueRef first_after_variables(LLVMValueRef function)
{
	LLVMValueRef instruction = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));

	while (LLVMIsAAllocaInst(instruction))
		instruction = LLVMGetNextInstruction(instruction);
	return instruction;
}

void keep_apart_function(LLVMValueRef function)
{
	static const char name[] = "noinline";
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));

	if (attribute_own_is_set(function, "alwaysinline") || attribute_is_set(function, KEPT_ATTRIBUTE))
		return;
	attribute_set(function, KEPT_ATTRIBUTE, "");
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName(name, sizeof name - 1), 0));
	/* Without an effect, the optimiser would compute a call once instead of twice, or remove it. A coroutine has
	 * effects. */
	if (!attribute_own_is_set(function, "presplitcoroutine"))
		placeholder_insert(first_after_variables(function));
}
