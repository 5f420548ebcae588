/* SPDX-License-Identifier: MIT */
/* nop_entry.c - x86-64: an entry sled that costs nothing while it is dormant. */
#include "pass/nop_entry.h"

#include "pass/attributes.h"
#include "pass/llvm_more.h"
#include "pass/prologue.h"
#include "format/registration.h"

#include <stdbool.h>
#include <stddef.h>

/* data16 cs nopw 0(%rax,%rax): one instruction, or a thread could stand within the sled
 * (Intel SDM 2B, "NOP"). sled_x86_64.h has the same bytes. */
#define NOP_BYTES 11
static const char nop[NOP_BYTES] = "\x66\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00";

/* What never returns has no other sled, and would not be in LLVM's map at all, by which
 * XRay's interface numbers functions. */
static bool returns(LLVMValueRef function)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		if (LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(block)) == LLVMRet)
			return true;
	return false;
}

/* The head is switched by one store of two bytes. Without an alignment of its own a function has
 * the target's, which is none where size counts. */
static void align(LLVMValueRef function)
{
	bool is_small = attribute_own_is_set(function, "optsize") || attribute_own_is_set(function, "minsize");

	if (LLVMGetAlignment(function) < 2)
		LLVMSetAlignment(function, is_small ? 2 : 16);
}

uint32_t nop_entry_add(LLVMValueRef function)
{
	LLVMModuleRef module = LLVMGetGlobalParent(function);
	LLVMValueRef parts[2];
	unsigned before;

	if (!prologue_is_for_x86_64(module) || spoor_function_has_prologue(function) || !returns(function))
		return 0;
	before = prologue_landing_pad(function, parts);
	parts[before != 0] = prologue_bytes(LLVMGetModuleContext(module), nop, NOP_BYTES);
	prologue_set(function, parts, 1 + (before != 0));
	align(function);
	attribute_set(function, "xray-skip-entry", "");
	return SPOOR_FUNCTION_NOP_ENTRY | (before ? SPOOR_FUNCTION_ENTRY_BEHIND_PAD : 0);
}
