/* SPDX-License-Identifier: MIT */
/*
 * unwind_marks.c - says at run time where exceptions and longjmp have arrived, and where
 * one stack is left for another.
 *
 * A frame is told by where its return address lies: that is known in the entry
 * sled as well, takes no frame pointer, and is the containing function's should
 * this one be inlined when the program is linked. That one must log its frame then:
 * each mark notes where it has come to be.
 */
#include "pass/unwind_marks.h"

#include "pass/intrinsics.h"
#include "pass/llvm_more.h"
#include "format/registration.h"

#include <string.h>

#define MARK_NAME "spoor_dso_unwound"
/* llvm/IR/CallingConv.h: with another one, what the pad holds in registers would need
 * some that must be saved where the function begins. */
#define PRESERVE_MOST 14

/* What tells of a frame: where its return address lies or, where that is no place that is known
 * when the function is entered, where the stack was then. Null for other architectures. */
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
 * The stub's function; null at run time where the module has none. The stub's own
 * declaration hides it: here that would make gold forget that it may be missing.
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

/* Notes where it is in the section spoor_marks, which goes where the function goes. */
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

/* @what: bits beside the frame's, or 0 */
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

/* Puts a mark before an instruction, for the case that @condition, if there is one, is true. */
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

/* Whether a block calls one function, which ends the program: where an exception must
 * not get out of one that is noexcept, say. */
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
 * A call of setjmp or the like, which says by its result that it has returned again.
 * @returns_twice: the attribute's number
 */
static bool is_set_jump(LLVMValueRef call, unsigned returns_twice)
{
	LLVMValueRef callee;

	if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMIntegerTypeKind)
		return false;
	/* __builtin_setjmp, which has not the attribute. */
	if (intrinsic_begins(call, "llvm.eh.sjlj.setjmp"))
		return true;
	callee = LLVMGetCalledValue(call);
	return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, returns_twice) ||
	       (LLVMIsAFunction(callee) &&
		LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, returns_twice));
}

/* A call after which another stack is in use, until a function there switches back: of libc,
 * boost.context, libucontext, libco and libcoro. */
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

/* Whether exceptions come to a landing pad out of a call that switches stacks. */
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

/* What arrives at an instruction that did not come from the one before it. */
static enum arrival arrival_at(LLVMValueRef instruction, unsigned returns_twice)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMLandingPad:
		return ends_program(LLVMGetInstructionParent(instruction)) ? NO_ARRIVAL : EXCEPTION;
	case LLVMCall:
	case LLVMInvoke:	/* a destructor is due, or a handler stands around it */
		return is_set_jump(instruction, returns_twice) ? SET_JUMP : is_switch(instruction) ? SWITCH : NO_ARRIVAL;
	default:
		return NO_ARRIVAL;
	}
}

/* Return: the block in which what stood behind @instruction is, or one before it. */
static LLVMBasicBlockRef mark_arrival(LLVMValueRef instruction, enum arrival arrival)
{
	LLVMValueRef again;

	switch (arrival) {
	case SWITCH:
		insert_mark(instruction, NULL, SPOOR_FRAME_LEAVES_STACK);
		insert_mark(spoor_call_next(instruction), NULL, SPOOR_FRAME_ON_STACK);
		break;
	case EXCEPTION:
		/* Of the marks the one that is inserted last comes first: the second changes nothing
		 * where the exception comes out of another call. */
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
	/* What stands behind a mark is in a later block. */
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
