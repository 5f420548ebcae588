/* SPDX-License-Identifier: MIT */
/* redirect.c - leads calls of functions that are only declared through call slots. */
#include "pass/calls/redirect.h"

#include "pass/attributes.h"
#include "pass/calls/call_rules.h"
#include "pass/calls/call_wrapper.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Calls of one function. They are collected first, because redirecting one changes the list of uses. */
struct calls {
	LLVMValueRef *list;
	size_t count, room;
};

static int calls_add_one(struct calls *calls, LLVMValueRef call)
{
	if (calls->count == calls->room) {
		size_t room = calls->room ? 2 * calls->room : 16;
		LLVMValueRef *grown = realloc(calls->list, room * sizeof *grown);

		if (!grown)
			return -ENOMEM;
		calls->list = grown;
		calls->room = room;
	}
	calls->list[calls->count++] = call;
	return 0;
}

/* Tells if calls in a function may lead through slots: slots have their contents after relocation, and code that must
 * not be instrumented stays as it is. */
static bool may_change(LLVMValueRef function, const struct resolvers *resolvers)
{
	enum eligibility eligibility = eligibility_of(function, resolvers);

	return (eligibility == ELIGIBLE || eligibility == INELIGIBLE_PATCHABLE_ENTRY) &&
	       !resolvers_reach(resolvers, function) && !attribute_is_set(function, CALL_WRAPPER_ATTRIBUTE);
}

static int collect(struct calls *calls, LLVMValueRef callee, const struct resolvers *resolvers)
{
	int result = 0;

	calls->count = 0;
	for (LLVMUseRef use = LLVMGetFirstUse(callee); use && result >= 0; use = LLVMGetNextUse(use)) {
		LLVMValueRef call = LLVMGetUser(use);

		if ((LLVMIsACallInst(call) || LLVMIsAInvokeInst(call)) && LLVMGetCalledValue(call) == callee &&
		    may_change(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), resolvers))
			result = calls_add_one(calls, call);
	}
	return result;
}

static int note_direct(struct direct_calls *direct, LLVMValueRef callee, const char *reason)
{
	if (direct->count && direct->list[direct->count - 1].callee == callee)
		return 0;
	if (direct->count == direct->room) {
		size_t room = direct->room ? 2 * direct->room : 16;
		struct direct_call *grown = realloc(direct->list, room * sizeof *grown);

		if (!grown)
			return -ENOMEM;
		direct->list = grown;
		direct->room = room;
	}
	direct->list[direct->count++] = (struct direct_call){callee, reason};
	return 0;
}

/* The declaration's attributes no longer apply to a call through a pointer. */
static void take_attributes(LLVMValueRef call, LLVMValueRef callee)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(callee));
	static const char nounwind[] = "nounwind";

	for (unsigned i = 0; i <= LLVMGetNumArgOperands(call); i++)
		call_copy_passing(call, call, callee, i);
	if (attribute_own_is_set(callee, nounwind))
		LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(
			context, LLVMGetEnumAttributeKindForName(nounwind, sizeof nounwind - 1), 0));
}

static int redirect_call(LLVMValueRef call, LLVMValueRef callee)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(callee));
	LLVMValueRef slot = call_slot_for(call, callee);
	LLVMBuilderRef builder;

	if (!slot)
		return -ENOMEM;
	take_attributes(call, callee);
	builder = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderBefore(builder, call);
	/* The callee is the last operand. */
	LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1,
		       call_slot_load(builder, slot, 0, LLVMGetCalledFunctionType(call)));
	LLVMDisposeBuilder(builder);
	return 0;
}

static int redirect_calls_of(LLVMValueRef callee, struct calls *calls, struct direct_calls *direct)
{
	int result = 0;

	for (size_t i = 0; i < calls->count && result >= 0; i++) {
		const char *reason = call_rules_reason(calls->list[i], callee);

		result = reason ? note_direct(direct, callee, reason) : redirect_call(calls->list[i], callee);
	}
	return result;
}

int redirect_calls(LLVMModuleRef module, const char *patterns, const struct resolvers *resolvers, struct direct_calls *direct)
{
	char *all = call_rules_patterns(patterns);
	struct calls calls = {NULL, 0, 0};
	int result = all ? 0 : -ENOMEM;

	for (LLVMValueRef callee = LLVMGetFirstFunction(module); callee && result >= 0; callee = LLVMGetNextFunction(callee)) {
		bool chosen = false;

		if (LLVMIsDeclaration(callee) && LLVMGetFirstUse(callee))
			result = call_rules_choose(all, callee, &chosen);
		if (result >= 0 && chosen)
			result = collect(&calls, callee, resolvers);
		if (result >= 0 && chosen)
			result = redirect_calls_of(callee, &calls, direct);
	}
	free(calls.list);
	free(all);
	return result;
}

void direct_calls_free(struct direct_calls *direct)
{
	free(direct->list);
	*direct = (struct direct_calls){NULL, 0, 0};
}
