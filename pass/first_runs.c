/* SPDX-License-Identifier: MIT */
/*
 * first_runs.c - order mode: a look at a byte in front of a function's own code.
 *
 * It is prologue data (LLVM's language reference, "Prologue Data"): bytes that the code
 * generator puts where a function begins, before it moves the stack. So the call needs no
 * room below the stack pointer, nothing in the unwind table and no register, and a function
 * that is inlined leaves it behind. What a byte is for tells the address that the call
 * returns to, or, on AArch64, that of the words behind the jump.
 *
 * The distances count from the function itself, which therefore counts as one whose address
 * is taken: link-time optimisation makes no second copy of it, where they would be wrong.
 */
#include "first_runs.h"

#include "attributes.h"
#include "llvm_more.h"

#include <llvm-c/Comdat.h>

#include <string.h>

#define SECTION "spoor_seen"
#define BYTE_NAME ".spoor.seen"
#define THUNK "spoor_dso_thunk_first"
#define MARK "spoor-first-run"

/* A piece of the code: bytes as they are, then, of four bytes, how far it is to a symbol. */
struct piece {
	const char *bytes;
	unsigned count;
	enum { NOTHING, TO_BYTE, TO_THUNK } distance;
	unsigned from;		/* where that counts from, in bytes from the first piece's begin */
};

/*
 * cmpb $0, byte(%rip); je call; lea distance(%rax,%rbp,8), %eax; body:
 *
 * The call is the last five bytes of the lea, which does nothing but change a register that
 * holds nothing here: a branch over the call would be taken each time, and cost a cycle.
 */
static const struct piece x86_64[] = {
	{"\x80\x3d", 2, TO_BYTE, 7},
	{"\x00\x74\x02\x8d\x84\xe8", 6, TO_THUNK, 16},
	{NULL, 0, NOTHING, 0},
};
/* Where it may hold something: cmpb $0, byte(%rip); jne body; xchg %ax, %ax; call thunk; body: */
static const struct piece x86_64_branch[] = {
	{"\x80\x3d", 2, TO_BYTE, 7},
	{"\x00\x75\x07\x66\x90\xe8", 6, TO_THUNK, 16},
	{NULL, 0, NOTHING, 0},
};
#define ENDBR64 "\xf3\x0f\x1e\xfa"

/*
 * ldr w16, 1f; adr x17, 1f; ldrb w16, [x17, w16, sxtw]; cbnz w16, body
 * ldrsw x16, 2f; add x16, x16, x17; br x16; 1: .word byte - 1b; 2: .word thunk - 1b; body:
 */
static const struct piece aarch64[] = {
	{"\xf0\x00\x00\x18" "\xd1\x00\x00\x10" "\x30\xca\x70\x38" "\xd0\x00\x00\x35"
	 "\x90\x00\x00\x98" "\x10\x02\x11\x8b" "\x00\x02\x1f\xd6", 28, TO_BYTE, 28},
	{"", 0, TO_THUNK, 28},
	{NULL, 0, NOTHING, 0},
};
#define BTI_C "\x5f\x24\x03\xd5"

struct code {
	const struct piece *pieces, *pieces_elsewhere;	/* in the C convention's plain functions, and others */
	const char *landing_pad;	/* what stands in front where branches are guarded, */
	const char *guard, *own_guard;	/* ... as this flag of the module, or attribute, says */
	const char *no_second;		/* the attribute by which the code generator leaves out its own, behind these bytes */
};

static const struct code codes[] = {
	{x86_64, x86_64_branch, ENDBR64, "cf-protection-branch", NULL, "nocf_check"},
	{aarch64, aarch64, BTI_C, "branch-target-enforcement", "branch-target-enforcement", NULL},
};

static bool flag_is_set(LLVMModuleRef module, const char *name)
{
	LLVMMetadataRef flag = LLVMGetModuleFlag(module, name, strlen(name));
	LLVMContextRef context = LLVMGetModuleContext(module);

	return flag && LLVMConstIntGetZExtValue(LLVMGetOperand(LLVMMetadataAsValue(context, flag), 0)) != 0;
}

static bool is_guarded(LLVMModuleRef module, LLVMValueRef function, const struct code *code)
{
	if (code->own_guard && attribute_is_set(function, code->own_guard))
		return !attribute_is(function, code->own_guard, "false");
	return flag_is_set(module, code->guard);
}

/* As the code generator has it, which puts no landing pad into such a function. */
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

static void leave_out_second(LLVMModuleRef module, LLVMValueRef function, const char *attribute)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));

	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, 0));
}

/* The function's byte, which goes where the function goes. */
static LLVMValueRef add_byte(LLVMModuleRef module, LLVMValueRef function)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef type = LLVMInt8TypeInContext(context);
	LLVMValueRef byte = LLVMAddGlobal(module, type, BYTE_NAME);
	LLVMMetadataRef target = LLVMValueAsMetadata(function);

	LLVMSetInitializer(byte, LLVMConstInt(type, 0, 0));
	LLVMSetLinkage(byte, LLVMPrivateLinkage);
	LLVMSetSection(byte, SECTION);
	LLVMSetAlignment(byte, 1);
	if (LLVMGetComdat(function))
		LLVMSetComdat(byte, LLVMGetComdat(function));
	LLVMGlobalSetMetadata(byte, LLVMGetMDKindIDInContext(context, "associated", strlen("associated")),
			      LLVMMDNodeInContext2(context, &target, 1));
	return byte;
}

static LLVMValueRef thunk_of(LLVMModuleRef module)
{
	LLVMTypeRef nothing = LLVMVoidTypeInContext(LLVMGetModuleContext(module));
	LLVMValueRef thunk = LLVMGetNamedFunction(module, THUNK);

	if (!thunk) {
		thunk = LLVMAddFunction(module, THUNK, LLVMFunctionType(nothing, NULL, 0, 0));
		LLVMSetVisibility(thunk, LLVMHiddenVisibility);
	}
	return thunk;
}

/* From @from bytes behind the function's begin to @symbol. */
static LLVMValueRef distance(LLVMContextRef context, LLVMValueRef symbol, LLVMValueRef function, unsigned from)
{
	LLVMTypeRef address = LLVMInt64TypeInContext(context);
	LLVMValueRef between = LLVMConstSub(LLVMConstPtrToInt(symbol, address),
					    LLVMConstPtrToInt(function, address));

	return LLVMConstTrunc(LLVMConstSub(between, LLVMConstInt(address, from, 0)), LLVMInt32TypeInContext(context));
}

static LLVMValueRef code_bytes(LLVMContextRef context, const char *bytes, unsigned count)
{
	return LLVMConstStringInContext(context, bytes, count, 1);
}

bool first_run_has(LLVMValueRef function)
{
	return attribute_is_set(function, MARK);
}

void first_run_add(LLVMValueRef function)
{
	LLVMModuleRef module = LLVMGetGlobalParent(function);
	LLVMContextRef context = LLVMGetModuleContext(module);
	const struct code *code = &codes[strncmp(LLVMGetTarget(module), "x86_64-", 7) != 0];
	bool guarded = is_guarded(module, function, code);
	unsigned before = guarded && !(code->no_second && is_called_by_name_alone(function)) ? 4 : 0, count = 0;
	LLVMValueRef symbols[] = {[TO_BYTE] = add_byte(module, function), [TO_THUNK] = thunk_of(module)};
	bool plain = LLVMGetFunctionCallConv(function) == LLVMCCallConv &&
		     !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function));
	const struct piece *piece = plain ? code->pieces : code->pieces_elsewhere;
	LLVMValueRef parts[8];

	if (guarded && code->no_second)
		leave_out_second(module, function, code->no_second);
	if (before)
		parts[count++] = code_bytes(context, code->landing_pad, before);
	for (; piece->bytes; piece++) {
		if (piece->count)
			parts[count++] = code_bytes(context, piece->bytes, piece->count);
		parts[count++] = distance(context, symbols[piece->distance], function, before + piece->from);
	}
	spoor_function_set_prologue(function, LLVMConstStructInContext(context, parts, count, 1));
	attribute_set(function, MARK, "noticed");
}
