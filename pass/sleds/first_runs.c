/* SPDX-License-Identifier: MIT */
/*
 * first_runs.c - order mode: tests a byte before a function's own code.
 *
 * The test runs before the stack pointer moves (prologue.h), so its call needs no room below the
 * stack pointer, no unwind information and no register. The call's return address says which
 * function it is; on AArch64, the address of the words after the jump does.
 *
 * The distances count from the function itself, so LLVM treats the function's address as taken.
 * Link-time optimisation then makes no second copy, in which the distances would be wrong.
 */
#include "pass/sleds/first_runs.h"

#include "pass/attributes.h"
#include "pass/sleds/prologue.h"

#include <llvm-c/Comdat.h>

#include <string.h>

#define SECTION "spoor_seen"
#define BYTE_NAME ".spoor.seen"
#define THUNK "spoor_dso_thunk_first"
#define MARK "spoor-first-run"

/* A piece of the code: literal bytes, then four bytes with the distance to a symbol. */
struct piece {
	const char *bytes;
	unsigned count;
	enum { NOTHING, TO_BYTE, TO_THUNK } distance;
	unsigned from;		/* where the distance counts from, in bytes from the begin of the first piece */
};

/*
 * cmpb $0, byte(%rip); je call; lea distance(%rax,%rbp,8), %eax; body:
 *
 * The call is the last five bytes of the lea. The lea itself only changes eax, which is unused
 * here. A branch over the call would be taken each time, and cost a cycle.
 */
static const struct piece x86_64[] = {
	{"\x80\x3d", 2, TO_BYTE, 7},
	{"\x00\x74\x02\x8d\x84\xe8", 6, TO_THUNK, 16},
	{NULL, 0, NOTHING, 0},
};
/* If eax may be in use: cmpb $0, byte(%rip); jne body; xchg %ax, %ax; call thunk; body: */
static const struct piece x86_64_branch[] = {
	{"\x80\x3d", 2, TO_BYTE, 7},
	{"\x00\x75\x07\x66\x90\xe8", 6, TO_THUNK, 16},
	{NULL, 0, NOTHING, 0},
};

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

/* plain: for functions with the C convention and without variable arguments; elsewhere: for all others. */
struct code {
	const struct piece *plain, *elsewhere;
};

static const struct code on_x86_64 = {x86_64, x86_64_branch}, on_aarch64 = {aarch64, aarch64};

/* Adds the function's byte, which the linker keeps or drops with the function. */
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

/* The distance from @from bytes after the function's begin to @symbol. */
static LLVMValueRef distance(LLVMContextRef context, LLVMValueRef symbol, LLVMValueRef function, unsigned from)
{
	LLVMTypeRef address = LLVMInt64TypeInContext(context);
	LLVMValueRef between = LLVMConstSub(LLVMConstPtrToInt(symbol, address),
					    LLVMConstPtrToInt(function, address));

	return LLVMConstTrunc(LLVMConstSub(between, LLVMConstInt(address, from, 0)), LLVMInt32TypeInContext(context));
}

bool first_run_has(LLVMValueRef function)
{
	return attribute_is_set(function, MARK);
}

void first_run_add(LLVMValueRef function)
{
	LLVMModuleRef module = LLVMGetGlobalParent(function);
	LLVMContextRef context = LLVMGetModuleContext(module);
	const struct code *code = prologue_is_for_x86_64(module) ? &on_x86_64 : &on_aarch64;
	LLVMValueRef symbols[] = {[TO_BYTE] = add_byte(module, function), [TO_THUNK] = thunk_of(module)};
	bool plain = LLVMGetFunctionCallConv(function) == LLVMCCallConv &&
		     !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function));
	const struct piece *piece = plain ? code->plain : code->elsewhere;
	LLVMValueRef parts[8];
	unsigned before = prologue_landing_pad(function, parts), count = before != 0;

	for (; piece->bytes; piece++) {
		if (piece->count)
			parts[count++] = prologue_bytes(context, piece->bytes, piece->count);
		parts[count++] = distance(context, symbols[piece->distance], function, before + piece->from);
	}
	prologue_set(function, parts, count);
	attribute_set(function, MARK, "noticed");
}
