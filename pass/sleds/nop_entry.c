/* SPDX-License-Identifier: MIT */
/* nop_entry.c - x86-64: an entry sled that costs nothing while it is dormant. */
#include "pass/sleds/nop_entry.h"

#include "pass/attributes.h"
#include "pass/llvm_more.h"
#include "pass/sleds/prologue.h"
#include "format/registration.h"

#include <stdbool.h>
#include <stddef.h>

/* data16 cs nopw 0(%rax,%rax): one instruction, so that no thread can be inside the sled (Intel SDM 2B, "NOP").
 * sled_x86_64.h has the same bytes. */
#define NOP_BYTES 11
static const char nop[NOP_BYTES] = "\x66\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00";

/* A function that never returns has no other sled, so without LLVM's entry sled it would be missing in LLVM's map,
 * by which XRay's interface numbers functions. */
static bool returns(LLVMValueRef function)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		if (LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(block)) == LLVMRet)
			return true;
	return false;
}

/* Aligns the function, because one store of two bytes switches the sled's head. By default the target's alignment
 * applies, which is 1 if the code is optimised for size. */
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
