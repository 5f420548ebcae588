/* SPDX-License-Identifier: MIT */
/* prologue.c - adds bytes to the begin of a function. */
#include "pass/sleds/prologue.h"

#include "pass/attributes.h"
#include "pass/llvm_more.h"

#include <string.h>

struct landing_pad {
	const char *bytes;
	const char *guard, *own_guard;	/* the module's flag and the function's attribute that say whether branches
					 * are guarded */
	const char *no_second;		/* the attribute that prevents the code generator from emitting its landing
					 * pad */
};

#define LANDING_PAD_BYTES 4
static const struct landing_pad endbr64 = {"\xf3\x0f\x1e\xfa", "cf-protection-branch", NULL, "nocf_check"};
static const struct landing_pad bti_c = {"\x5f\x24\x03\xd5", "branch-target-enforcement", "branch-target-enforcement",
					 NULL};

bool prologue_is_for_x86_64(LLVMModuleRef module)
{
	return strncmp(LLVMGetTarget(module), "x86_64-", 7) == 0;
}

static bool flag_is_set(LLVMModuleRef module, const char *name)
{
	LLVMMetadataRef flag = LLVMGetModuleFlag(module, name, strlen(name));
	LLVMContextRef context = LLVMGetModuleContext(module);

	return flag && LLVMConstIntGetZExtValue(LLVMGetOperand(LLVMMetadataAsValue(context, flag), 0)) != 0;
}

static bool is_guarded(LLVMModuleRef module, LLVMValueRef function, const struct landing_pad *pad)
{
	if (pad->own_guard && attribute_is_set(function, pad->own_guard))
		return !attribute_is(function, pad->own_guard, "false");
	return flag_is_set(module, pad->guard);
}

/* Tells if all uses of a function are direct calls: the code generator emits no landing pad then. */
static bool is_called_by_name_alone(LLVMValueRef function)
{
	LLVMLinkage linkage = LLVMGetLinkage(function);

	if (linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage)
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if ((!LLVMIsACallInst(user) && !LLVMIsAInvokeInst(user)) || LLVMGetCalledValue(user) != function)
			return false;
		for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
			if (LLVMGetOperand(user, i) == function)
				return false;
	}
	return true;
}

static void leave_out_second_pad(LLVMModuleRef module, LLVMValueRef function, const char *attribute)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));

	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, 0));
}

LLVMValueRef prologue_bytes(LLVMContextRef context, const char *bytes, unsigned count)
{
	return LLVMConstStringInContext(context, bytes, count, 1);
}

unsigned prologue_landing_pad(LLVMValueRef function, LLVMValueRef *pad)
{
	LLVMModuleRef module = LLVMGetGlobalParent(function);
	const struct landing_pad *kind = prologue_is_for_x86_64(module) ? &endbr64 : &bti_c;

	if (!is_guarded(module, function, kind))
		return 0;
	if (kind->no_second) {
		leave_out_second_pad(module, function, kind->no_second);
		if (is_called_by_name_alone(function))
			return 0;
	}
	*pad = prologue_bytes(LLVMGetModuleContext(module), kind->bytes, LANDING_PAD_BYTES);
	return LANDING_PAD_BYTES;
}

void prologue_set(LLVMValueRef function, LLVMValueRef *parts, unsigned count)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));

	spoor_function_set_prologue(function, LLVMConstStructInContext(context, parts, count, 1));
}
