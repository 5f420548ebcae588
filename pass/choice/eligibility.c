/* SPDX-License-Identifier: MIT */
/*
 * eligibility.c - decides which functions can be instrumented, and why others cannot.
 *
 * The list of allowed calling conventions has only conventions that are known to work, because a
 * new one is more likely to break than not. A sled may change r11, or x16, x17 and d31. Its
 * trampoline may change every vector register that passes neither arguments nor
 * results in the C convention.
 */
#include "pass/choice/eligibility.h"

#include "pass/attributes.h"
#include "pass/intrinsics.h"
#include "pass/llvm_more.h"
#include "pass/sleds/prologue.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* From llvm/IR/CallingConv.h; LLVM-C has names for fewer of them. */
enum convention {
	CONVENTION_C = 0,
	CONVENTION_FAST = 8,
	CONVENTION_PRESERVE_MOST = 14,
	CONVENTION_SWIFT = 16,
	CONVENTION_TAIL = 18,
	CONVENTION_SWIFT_TAIL = 20,
	CONVENTION_X86_64_SYSV = 78,
};

/* The number of registers in which tailcc passes arguments. More arguments go on the stack, and then LLVM emits no
 * exit sled, because the callee pops them with "ret n". */
#define TAIL_INTEGER_REGISTERS 6
#define TAIL_VECTOR_REGISTERS 8

static bool is_among(const struct resolvers *resolvers, size_t count, LLVMValueRef function)
{
	for (size_t i = 0; i < count; i++)
		if (resolvers->functions[i] == function)
			return true;
	return false;
}

/* The function that a value refers to, through casts (typed pointers of LLVM 14) and aliases; null if there is
 * none. */
static LLVMValueRef function_of_value(LLVMValueRef value)
{
	while (value && !LLVMIsAFunction(value)) {
		if (LLVMIsAGlobalAlias(value))
			value = LLVMAliasGetAliasee(value);
		else if (LLVMIsAConstantExpr(value))
			value = LLVMGetOperand(value, 0);
		else
			return NULL;
	}
	return value;
}

static int resolvers_add(struct resolvers *resolvers, LLVMValueRef function)
{
	if (!function || is_among(resolvers, resolvers->count, function))
		return 0;
	if (resolvers->count == resolvers->room) {
		size_t room = resolvers->room ? 2 * resolvers->room : 16;
		LLVMValueRef *functions = realloc(resolvers->functions, room * sizeof *functions);

		if (!functions)
			return -ENOMEM;
		resolvers->functions = functions;
		resolvers->room = room;
	}
	resolvers->functions[resolvers->count++] = function;
	return 0;
}

/* Adds the functions with a body that @function calls. A resolver does not call the implementation that it
 * returns. */
static int add_callees(struct resolvers *resolvers, LLVMValueRef function)
{
	LLVMBasicBlockRef block;
	LLVMValueRef instruction;
	int result = 0;

	for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		for (instruction = LLVMGetFirstInstruction(block); instruction && result >= 0;
		     instruction = LLVMGetNextInstruction(instruction)) {
			LLVMValueRef callee = NULL;

			if (LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction))
				callee = function_of_value(LLVMGetCalledValue(instruction));
			if (callee && !LLVMIsDeclaration(callee))
				result = resolvers_add(resolvers, callee);
		}
	return result;
}

int resolvers_find(struct resolvers *resolvers, LLVMModuleRef module)
{
	LLVMValueRef ifunc;
	int result = 0;

	*resolvers = (struct resolvers){.functions = NULL};
	for (ifunc = LLVMGetFirstGlobalIFunc(module); ifunc && result >= 0; ifunc = LLVMGetNextGlobalIFunc(ifunc))
		result = resolvers_add(resolvers, function_of_value(LLVMGetGlobalIFuncResolver(ifunc)));
	resolvers->own_count = resolvers->count;
	/* The list grows during the loop. */
	for (size_t i = 0; i < resolvers->count && result >= 0; i++)
		result = add_callees(resolvers, resolvers->functions[i]);
	return result;
}

void resolvers_free(struct resolvers *resolvers)
{
	free(resolvers->functions);
	*resolvers = (struct resolvers){.functions = NULL};
}

bool resolvers_reach(const struct resolvers *resolvers, LLVMValueRef function)
{
	return is_among(resolvers, resolvers->count, function);
}

static bool begins_with(const char *string, size_t length, const char *prefix)
{
	size_t prefix_length = strlen(prefix);

	return length >= prefix_length && memcmp(string, prefix, prefix_length) == 0;
}

/* Tells if a function belongs to the stub, or is in a section of spoor, or is a call that the pass injects. */
static bool is_runtime_code(LLVMValueRef function)
{
	const char *section = LLVMGetSection(function);
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);

	return begins_with(name, length, "spoor_dso_") ||
	       begins_with(name, length, "_spoor_runtime_") ||
	       (section && begins_with(section, strlen(section), ".text.spoor"));
}

/* Tells if all arguments of a function are certainly passed in registers. */
static bool arguments_fit_registers(LLVMValueRef function)
{
	unsigned integers = 0, vectors = 0, count = LLVMCountParams(function);
	unsigned byval = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));

	if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
		return false;
	for (unsigned i = 0; i < count; i++) {
		LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(function, i));

		if (LLVMGetEnumAttributeAtIndex(function, i + 1, byval))
			return false;
		switch (LLVMGetTypeKind(type)) {
		case LLVMPointerTypeKind:
			integers++;
			break;
		case LLVMIntegerTypeKind:
			integers += (LLVMGetIntTypeWidth(type) + 63) / 64;
			break;
		case LLVMFloatTypeKind:
		case LLVMDoubleTypeKind:
			vectors++;
			break;
		default:
			return false;
		}
	}
	return integers <= TAIL_INTEGER_REGISTERS && vectors <= TAIL_VECTOR_REGISTERS;
}

/* Tells if a function may run in AArch64's streaming mode: a system call ends that mode, and C code does not
 * preserve it, so the function must not report events. */
static bool may_be_streaming(LLVMValueRef function)
{
	return attribute_is_set(function, "aarch64_pstate_sm_enabled") ||
	       attribute_is_set(function, "aarch64_pstate_sm_compatible");
}

static bool convention_is_known(LLVMValueRef function)
{
	if (may_be_streaming(function))
		return false;
	switch (LLVMGetFunctionCallConv(function)) {
	case CONVENTION_C:
	case CONVENTION_FAST:
	case CONVENTION_PRESERVE_MOST:
	case CONVENTION_SWIFT:
	case CONVENTION_X86_64_SYSV:
		return !attribute_is_set(function, "no_caller_saved_registers");
	case CONVENTION_TAIL:
	case CONVENTION_SWIFT_TAIL:
		return arguments_fit_registers(function);
	default:
		return false;
	}
}

/* Tells if the code generator drops an instruction at every optimisation level. */
static bool leaves_no_code(LLVMValueRef instruction)
{
	static const char *const silent[] = {
		"llvm.dbg.", "llvm.lifetime.", "llvm.assume", "llvm.invariant.",
		"llvm.experimental.noalias.scope.decl", "llvm.donothing", "llvm.pseudoprobe",
	};

	const char *name;

	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMPHI:
	case LLVMAlloca:
	case LLVMUnreachable:
		return true;
	case LLVMBr:
		return !LLVMIsConditional(instruction);
	case LLVMCall:
	case LLVMInvoke:
		name = intrinsic_called(instruction);
		for (size_t i = 0; name && i < sizeof silent / sizeof *silent; i++)
			if (strncmp(name, silent[i], strlen(silent[i])) == 0)
				return true;
		return false;
	default:
		return false;
	}
}

/*
 * Tells if the entry block leads straight to "unreachable". LLVM adds no sled if there is no
 * instruction, but with -g a location may count as one, so such a function is never
 * instrumented.
 */
static bool has_no_code(LLVMValueRef function)
{
	LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(function);
	unsigned left = LLVMCountBasicBlocks(function);

	while (left--) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(block), instruction;

		if (!last || !leaves_no_code(last))
			return false;
		for (instruction = LLVMGetFirstInstruction(block); instruction;
		     instruction = LLVMGetNextInstruction(instruction))
			if (!leaves_no_code(instruction))
				return false;
		if (LLVMGetInstructionOpcode(last) == LLVMUnreachable)
			return true;
		block = LLVMGetSuccessor(last, 0);
	}
	return false;	/* an endless loop is code */
}

enum eligibility eligibility_of(LLVMValueRef function, const struct resolvers *resolvers)
{
	if (LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage)
		return INELIGIBLE_NOT_EMITTED;
	if (attribute_is(function, "function-instrument", "xray-never"))
		return INELIGIBLE_BY_ATTRIBUTE;
	if (is_runtime_code(function))
		return INELIGIBLE_OURS;
	if (attribute_own_is_set(function, "naked"))
		return INELIGIBLE_NAKED;
	if (!convention_is_known(function))
		return INELIGIBLE_CONVENTION;
	if (is_among(resolvers, resolvers->own_count, function))
		return INELIGIBLE_IFUNC_RESOLVER;
	if (attribute_is_set(function, "patchable-function-entry") ||
	    attribute_is_set(function, "patchable-function"))
		return INELIGIBLE_PATCHABLE_ENTRY;
	if (has_no_code(function))
		return INELIGIBLE_NO_CODE;
	return ELIGIBLE;
}

static bool has_instruction(LLVMValueRef function, bool (*is_meant)(LLVMValueRef instruction))
{
	LLVMBasicBlockRef block;
	LLVMValueRef instruction;

	for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		for (instruction = LLVMGetFirstInstruction(block); instruction;
		     instruction = LLVMGetNextInstruction(instruction))
			if (is_meant(instruction))
				return true;
	return false;
}

/* LLVM (22) drops the jump of such a call if a sled precedes it. Other checked tail calls become plain calls
 * (sleds.c). */
static bool is_checked_jump(LLVMValueRef instruction)
{
	return spoor_call_is_must_tail(instruction) && spoor_call_is_checked(instruction);
}

/* Tells if -mfunction-return=thunk-extern, -mlvi-cfi or -mharden-sls=return applies on x86-64: LLVM (22) adds code
 * after or instead of "ret", but not to returns that are sleds. On AArch64 a sled precedes the return, which
 * stays. */
static bool has_hardened_returns(LLVMValueRef function)
{
	static const char features[] = "target-features";

	return prologue_is_for_x86_64(LLVMGetGlobalParent(function)) &&
	       (attribute_own_is_set(function, "fn_ret_thunk_extern") ||
		attribute_lists(function, features, "+lvi-cfi") || attribute_lists(function, features, "+harden-sls-ret"));
}

enum eligibility eligibility_for_sleds(LLVMValueRef function, const struct resolvers *resolvers)
{
	enum eligibility eligibility = eligibility_of(function, resolvers);

	if (eligibility != ELIGIBLE)
		return eligibility;
	if (has_hardened_returns(function))
		return INELIGIBLE_HARDENED_RETURN;
	return has_instruction(function, is_checked_jump) ? INELIGIBLE_CHECKED_JUMP : ELIGIBLE;
}

/* In a coroutine that has not been split, the code after a suspension is still in the same function. */
static bool begins_coroutine(LLVMValueRef instruction)
{
	return intrinsic_begins(instruction, "llvm.coro.begin");
}

enum eligibility eligibility_for_calls(LLVMValueRef function, const struct resolvers *resolvers)
{
	enum eligibility eligibility = eligibility_of(function, resolvers);

	if (eligibility != ELIGIBLE)
		return eligibility;
	if (is_among(resolvers, resolvers->count, function))
		return INELIGIBLE_RESOLVER_CALLS;
	if (spoor_function_has_funclets(function))
		return INELIGIBLE_FUNCLETS;
	return has_instruction(function, begins_coroutine) ? INELIGIBLE_COROUTINE : ELIGIBLE;
}

/* Tells if -fsanitize=cfi-icall applies: references to the function then lead to a jump table. */
static bool has_jump_table(LLVMValueRef function)
{
	static const char flag[] = "CFI Canonical Jump Tables", type[] = "type";
	LLVMModuleRef module = LLVMGetGlobalParent(function);
	unsigned kind = LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), type, strlen(type));
	LLVMValueMetadataEntry *entries;
	bool found = false;
	size_t count;

	if (!LLVMGetModuleFlag(module, flag, strlen(flag)))
		return false;
	entries = LLVMGlobalCopyAllMetadata(function, &count);
	for (unsigned i = 0; i < count; i++)
		found |= LLVMValueMetadataEntriesGetKind(entries, i) == kind;
	LLVMDisposeValueMetadataEntries(entries);
	return found;
}

enum eligibility eligibility_for_first_runs(LLVMValueRef function, const struct resolvers *resolvers)
{
	enum eligibility eligibility = eligibility_of(function, resolvers);

	if (eligibility != ELIGIBLE)
		return eligibility;
	if (spoor_function_has_prologue(function))
		return INELIGIBLE_PROLOGUE;
	return has_jump_table(function) ? INELIGIBLE_JUMP_TABLE : ELIGIBLE;
}

const char *eligibility_reason(enum eligibility eligibility)
{
	static const char *const reasons[] = {
		[ELIGIBLE] = NULL,
		[INELIGIBLE_NOT_EMITTED] = "another unit has the code of the function",
		[INELIGIBLE_BY_ATTRIBUTE] = "an attribute excludes the function",
		[INELIGIBLE_OURS] = "the function belongs to spoor",
		[INELIGIBLE_NAKED] = "the function is naked",
		[INELIGIBLE_CONVENTION] = "the calling convention leaves no register for a sled",
		[INELIGIBLE_IFUNC_RESOLVER] = "the function is an ifunc resolver",
		[INELIGIBLE_PATCHABLE_ENTRY] = "the function has another kind of patchable entry",
		[INELIGIBLE_NO_CODE] = "the function has no code",
		[INELIGIBLE_CHECKED_JUMP] = "the function must end with a jump that -fsanitize=kcfi checks",
		[INELIGIBLE_HARDENED_RETURN] = "the returns are hardened, and the return in a sled is not: use mode "
					       "call",
		[INELIGIBLE_RESOLVER_CALLS] = "an ifunc resolver calls the function",
		[INELIGIBLE_FUNCLETS] = "the function handles exceptions in funclets",
		[INELIGIBLE_COROUTINE] = "the function is a coroutine that was not split",
		[INELIGIBLE_PROLOGUE] = "other data precedes the code of the function",
		[INELIGIBLE_JUMP_TABLE] = "control-flow integrity replaces the function by a jump",
	};

	return reasons[eligibility];
}
