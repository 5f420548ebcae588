/* SPDX-License-Identifier: MIT */
/*
 * unwind_marks.c - marks the places where exceptions and longjmp arrive, and where code
 * switches to another stack.
 *
 * A mark identifies its frame by the address of the return address. The entry sled knows this
 * address too, and it needs no frame pointer. If the function is inlined at link time, the
 * containing function's address is used, and that function must log its frame then. So each mark also
 * records in which function it is.
 */
#include "pass/sleds/unwind_marks.h"

#include "pass/intrinsics.h"
#include "pass/llvm_more.h"
#include "format/registration.h"

#include <string.h>

#define MARK_NAME "spoor_dso_unwound"
/* llvm/IR/CallingConv.h. With another convention, values that the pad keeps in registers would have to be saved at
 * the function's entry. */
#define PRESERVE_MOST 14

/* The intrinsic that identifies a frame: by the address of the return address or, if that is unknown at the
 * function's entry, by the stack pointer there. Null for other architectures. */
static const char *frame_intrinsic(LLVMModuleRef module)
{
	const char *triple = LLVMGetTarget(module);

	return strncmp(triple, "x86_64-", 7) == 0 ? "llvm.addressofreturnaddress" :
	       strncmp(triple, "aarch64-", 8) == 0 ? "llvm.sponentry" : NULL;
}

static LLVMTypeRef mark_type(LLVMContextRef context)
{
	LLVMTypeRef pointer = LLVMPointerType(LLVMInt8TypeInContext(context), 0);

	return LLVMFunctionType(LLVMVoidTypeInContext(context), &pointer, 1, 0);
}

/*
 * The stub's function; null at run time if the module has no stub. The stub declares it hidden,
 * but here that would make gold forget that it may be missing.
 */
static LLVMValueRef mark_function(LLVMModuleRef module)
{
	LLVMValueRef function = LLVMGetNamedFunction(module, MARK_NAME);

	if (function)
		return function;
	function = LLVMAddFunction(module, MARK_NAME, mark_type(LLVMGetModuleContext(module)));
	LLVMSetLinkage(function, LLVMExternalWeakLinkage);
	LLVMSetFunctionCallConv(function, PRESERVE_MOST);
	return function;
}

/* Records the mark's address in the section spoor_marks, which the linker keeps or drops with the function. */
static const char place[] =
	".Lspoor_mark${:uid}:\n"
	"\t.pushsection spoor_marks,\"ao?\",@progbits,.Lspoor_mark${:uid}\n"
	"\t.p2align 2\n"
	"\t.long .Lspoor_mark${:uid} - .\n"
	"\t.popsection";

static void insert_place(LLVMModuleRef module, LLVMBuilderRef builder)
{
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetModuleContext(module)), NULL, 0, 0);
	LLVMValueRef note = LLVMGetInlineAsm(type, (char *)place, strlen(place), "", 0, 1, 0, LLVMInlineAsmDialectATT, 0);

	LLVMBuildCall2(builder, type, note, NULL, 0, "");
}

/* @what: more bits to pass with the frame's address, or 0 */
static void insert_call(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef mark, uint64_t what)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef pointer = LLVMPointerType(LLVMInt8TypeInContext(context), 0);
	const char *name = frame_intrinsic(module);
	unsigned intrinsic = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMValueRef frame = LLVMBuildCall2(builder, LLVMIntrinsicGetType(context, intrinsic, &pointer, 1),
					    LLVMGetIntrinsicDeclaration(module, intrinsic, &pointer, 1), NULL, 0, "");

	if (what) {
		LLVMTypeRef word = LLVMInt64TypeInContext(context);

		frame = LLVMBuildOr(builder, LLVMBuildPtrToInt(builder, frame, word, ""), LLVMConstInt(word, what, 0), "");
		frame = LLVMBuildIntToPtr(builder, frame, pointer, "");
	}
	LLVMSetInstructionCallConv(LLVMBuildCall2(builder, mark_type(context), mark, &frame, 1, ""), PRESERVE_MOST);
}

/* Inserts a mark before an instruction. @condition: the mark runs only if this is true; may be null */
static void insert_mark(LLVMValueRef before, LLVMValueRef condition, uint64_t what)
{
	LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(before)));
	LLVMValueRef mark = mark_function(module);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));

	if (condition)
		before = spoor_insert_if(condition, before);
	LLVMPositionBuilderBefore(builder, before);
	before = spoor_insert_if(LLVMBuildIsNotNull(builder, mark, ""), before);
	LLVMPositionBuilderBefore(builder, before);
	insert_place(module, builder);
	insert_call(module, builder, mark, what);
	LLVMDisposeBuilder(builder);
}

/* Tells if a block only calls one function, which ends the program: for example if an exception must not leave a
 * noexcept function. */
static bool ends_program(LLVMBasicBlockRef block)
{
	LLVMValueRef instruction = LLVMGetFirstInstruction(block);
	int calls = 0;

	if (LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(block)) != LLVMUnreachable)
		return false;
	for (; instruction; instruction = LLVMGetNextInstruction(instruction))
		calls += LLVMGetInstructionOpcode(instruction) == LLVMCall &&
			 !(LLVMIsAFunction(LLVMGetCalledValue(instruction)) &&
			   LLVMGetIntrinsicID(LLVMGetCalledValue(instruction)));
	return calls <= 1;
}

/*
 * Tells if a call is setjmp or similar: its result says that it returns a second time.
 * @returns_twice: number of the attribute
 */
static bool is_set_jump(LLVMValueRef call, unsigned returns_twice)
{
	LLVMValueRef callee;

	if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMIntegerTypeKind)
		return false;
	/* __builtin_setjmp does not have the attribute. */
	if (intrinsic_begins(call, "llvm.eh.sjlj.setjmp"))
		return true;
	callee = LLVMGetCalledValue(call);
	return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, returns_twice) ||
	       (LLVMIsAFunction(callee) &&
		LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, returns_twice));
}

/* Tells if a call switches to another stack, until code there switches back: functions of libc, boost.context,
 * libucontext, libco and libcoro. */
static bool is_switch(LLVMValueRef call)
{
	static const char *const names[] = { "swapcontext", "jump_fcontext", "ontop_fcontext", "libucontext_swapcontext",
					     "co_switch", "coro_transfer" };
	LLVMValueRef callee;
	const char *name;
	size_t length;

	callee = LLVMGetCalledValue(call);
	if (!LLVMIsAFunction(callee))
		return false;
	name = LLVMGetValueName2(callee, &length);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return !spoor_call_is_must_tail(call);
	return false;
}

/* Tells if exceptions arrive at a landing pad from a call that switches stacks. */
static bool is_pad_of_switch(LLVMValueRef pad)
{
	LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(LLVMGetInstructionParent(pad)));

	for (; use; use = LLVMGetNextUse(use))
		if (LLVMIsAInvokeInst(LLVMGetUser(use)) && is_switch(LLVMGetUser(use)))
			return true;
	return false;
}

static LLVMValueRef is_not_zero(LLVMValueRef value)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(value));
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMValueRef result;

	LLVMPositionBuilderBefore(builder, spoor_call_next(value));
	result = LLVMBuildIsNotNull(builder, value, "");
	LLVMDisposeBuilder(builder);
	return result;
}

enum arrival { NO_ARRIVAL, EXCEPTION, SET_JUMP, SWITCH };

/* What arrives at an instruction other than from the previous one. */
static enum arrival arrival_at(LLVMValueRef instruction, unsigned returns_twice)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMLandingPad:
		return ends_program(LLVMGetInstructionParent(instruction)) ? NO_ARRIVAL : EXCEPTION;
	case LLVMCall:
	case LLVMInvoke:	/* it has destructors to run, or is inside a try block */
		return is_set_jump(instruction, returns_twice) ? SET_JUMP : is_switch(instruction) ? SWITCH : NO_ARRIVAL;
	default:
		return NO_ARRIVAL;
	}
}

/* Returns the block that contains the code after @instruction, or an earlier block. */
static LLVMBasicBlockRef mark_arrival(LLVMValueRef instruction, enum arrival arrival)
{
	LLVMValueRef again;

	switch (arrival) {
	case SWITCH:
		insert_mark(instruction, NULL, SPOOR_FRAME_LEAVES_STACK);
		insert_mark(spoor_call_next(instruction), NULL, SPOOR_FRAME_ON_STACK);
		break;
	case EXCEPTION:
		/* The mark that is inserted last runs first. The second mark has no effect if the exception comes
		 * from another call. */
		if (is_pad_of_switch(instruction))
			insert_mark(LLVMGetNextInstruction(instruction), NULL, SPOOR_FRAME_ON_STACK);
		insert_mark(LLVMGetNextInstruction(instruction), NULL, 0);
		break;
	case SET_JUMP:
		again = is_not_zero(instruction);
		insert_mark(LLVMGetNextInstruction(again), again, 0);
		break;
	case NO_ARRIVAL:
		break;
	}
	return LLVMGetInstructionParent(instruction);
}

bool unwind_marks_add(LLVMValueRef function)
{
	static const char name[] = "returns_twice";
	unsigned returns_twice = LLVMGetEnumAttributeKindForName(name, strlen(name));
	LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(function);
	bool any = false;

	if (!frame_intrinsic(LLVMGetGlobalParent(function)))
		return false;
	/* The code after a mark is in a later block. */
	for (; block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef instruction = LLVMGetFirstInstruction(block);
		enum arrival arrival = NO_ARRIVAL;

		while (instruction && !(arrival = arrival_at(instruction, returns_twice)))
			instruction = LLVMGetNextInstruction(instruction);
		if (!instruction)
			continue;
		block = mark_arrival(instruction, arrival);
		any = true;
	}
	return any;
}
