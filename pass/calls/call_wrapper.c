/* SPDX-License-Identifier: MIT */
/*
 * call_wrapper.c - makes call slots and wrappers.
 *
 * A slot is a variable that leads to the function, or to the wrapper while the calls are recorded. The wrapper is a
 * function like any other: it gets sleds and an entry in the function table. It calls the function through a second
 * pointer in the slot and not by name, because a jump slot might lead to a stub that records the call too.
 *
 * Slot and wrapper exist once in a module for each function and signature. So their names contain a hash of all that
 * distinguishes two calls, with the processor's features: a unit may be compiled for other processors than the next one.
 */
#define _GNU_SOURCE
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "pass/calls/call_wrapper.h"

#include "format/registration.h"
#include "pass/choice/always.h"
#include "pass/attributes.h"
#include "pass/llvm_more.h"
#include "text/source_name.h"

#include <llvm-c/Comdat.h>
#include <llvm/Config/llvm-config.h>

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTION "spoor_slots"
#define SLOT_SUFFIX ".slot"

_Static_assert(sizeof(struct spoor_call_slot) == 24 && offsetof(struct spoor_call_slot, function) == 8 &&
	       offsetof(struct spoor_call_slot, wrapper) == 16 && offsetof(struct spoor_call_slot, name) == 20,
	       "the slot that is built here");

/* What says how an argument or a result is passed. */
static const char *const passing[] = {"byval", "sret", "byref", "zeroext", "signext", "inreg", "alignstack", "noext"};

/* What of the caller also applies to a wrapper: the code that is generated for its processor and its protection. */
static const char *const inherited[] = {
	"target-cpu", "tune-cpu", "target-features", "frame-pointer", "branch-target-enforcement", "sign-return-address",
	"sign-return-address-key", "guarded-control-stack", "probe-stack", "stack-probe-size", "use-soft-float",
};

static LLVMAttributeRef attribute_of(LLVMValueRef call, LLVMValueRef callee, LLVMAttributeIndex index, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	LLVMAttributeRef found = kind ? LLVMGetCallSiteEnumAttribute(call, index, kind) : NULL;

	/* A call with varying arguments has more of them than the declaration. */
	if (!found && kind && (index == LLVMAttributeReturnIndex || index <= LLVMCountParams(callee)))
		found = LLVMGetEnumAttributeAtIndex(callee, index, kind);
	return found;
}

/* Tells if the alignment of an argument decides where it lies on the stack. */
static LLVMAttributeRef alignment_of(LLVMValueRef call, LLVMValueRef callee, LLVMAttributeIndex index)
{
	if (index == LLVMAttributeReturnIndex || (!attribute_of(call, callee, index, "byval") &&
						  !attribute_of(call, callee, index, "sret")))
		return NULL;
	return attribute_of(call, callee, index, "align");
}

typedef void add_attribute(LLVMValueRef to, LLVMAttributeIndex index, LLVMAttributeRef attribute);

static void copy_passing(LLVMValueRef to, add_attribute *add, LLVMValueRef call, LLVMValueRef callee, LLVMAttributeIndex index)
{
	LLVMAttributeRef alignment = alignment_of(call, callee, index);

	for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
		LLVMAttributeRef attribute = attribute_of(call, callee, index, passing[i]);

		if (attribute)
			add(to, index, attribute);
	}
	if (alignment)
		add(to, index, alignment);
}

void call_copy_passing(LLVMValueRef to, LLVMValueRef call, LLVMValueRef callee, LLVMAttributeIndex index)
{
	copy_passing(to, LLVMAddCallSiteAttribute, call, callee, index);
}

static void put_type(FILE *text, LLVMTypeRef type)
{
	char *name = LLVMPrintTypeToString(type);

	fprintf(text, "%s;", name);
	LLVMDisposeMessage(name);
}

static void put_attribute(FILE *text, const char *name, LLVMAttributeRef attribute)
{
	if (!attribute)
		return;
	fprintf(text, "%s", name);
	if (LLVMIsTypeAttribute(attribute))
		put_type(text, LLVMGetTypeAttributeValue(attribute));
	else
		fprintf(text, "%" PRIu64 ";", LLVMGetEnumAttributeValue(attribute));
}

static void put_passing(FILE *text, LLVMValueRef call, LLVMValueRef callee, LLVMAttributeIndex index)
{
	for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
		put_attribute(text, passing[i], attribute_of(call, callee, index, passing[i]));
	put_attribute(text, "align", alignment_of(call, callee, index));
}

static LLVMValueRef caller_of(LLVMValueRef call)
{
	return LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
}

static LLVMAttributeRef inherited_of(LLVMValueRef function, size_t i)
{
	return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, inherited[i], (unsigned)strlen(inherited[i]));
}

static bool is_nounwind(LLVMValueRef call, LLVMValueRef callee)
{
	return attribute_of(call, callee, LLVMAttributeFunctionIndex, "nounwind") || attribute_own_is_set(callee, "nounwind");
}

/* Writes all that distinguishes wrappers of one function. Returns the hash; 0 without memory. */
static uint64_t hash_of(LLVMValueRef call, LLVMValueRef callee)
{
	LLVMValueRef caller = caller_of(call);
	unsigned count = LLVMGetNumArgOperands(call), length;
	char *bytes = NULL;
	size_t size = 0;
	FILE *text = open_memstream(&bytes, &size);
	uint64_t hash;

	if (!text)
		return 0;
	put_type(text, LLVMGetCalledFunctionType(call));
	put_passing(text, call, callee, LLVMAttributeReturnIndex);
	for (unsigned i = 0; i < count; i++) {
		put_type(text, LLVMTypeOf(LLVMGetOperand(call, i)));
		put_passing(text, call, callee, i + 1);
	}
	fprintf(text, "%d;", is_nounwind(call, callee));
	for (size_t i = 0; i < sizeof inherited / sizeof *inherited; i++) {
		LLVMAttributeRef attribute = inherited_of(caller, i);
		const char *value = attribute ? LLVMGetStringAttributeValue(attribute, &length) : NULL;

		if (value)
			fprintf(text, "%.*s", (int)length, value);
		fputc(';', text);
	}
	if (fclose(text) != 0) {
		free(bytes);
		return 0;
	}
	hash = XXH3_64bits(bytes, size);
	free(bytes);
	return hash ? hash : 1;
}

static void add_own_attribute(LLVMValueRef function, const char *name, uint64_t value)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, kind, value));
}

static void share(LLVMModuleRef module, LLVMValueRef global, const char *key)
{
	LLVMSetLinkage(global, LLVMLinkOnceODRLinkage);
	LLVMSetVisibility(global, LLVMHiddenVisibility);
	LLVMSetComdat(global, LLVMGetOrInsertComdat(module, key));
}

static LLVMValueRef declare_wrapper(LLVMValueRef call, LLVMValueRef callee, const char *name)
{
	LLVMModuleRef module = LLVMGetGlobalParent(callee);
	LLVMValueRef caller = caller_of(call), wrapper;
	LLVMTypeRef type = LLVMGetCalledFunctionType(call), *types;
	unsigned count = LLVMGetNumArgOperands(call);
	char fixed[12] = "";

	types = malloc((count + 1) * sizeof *types);
	if (!types)
		return NULL;
	for (unsigned i = 0; i < count; i++)
		types[i] = LLVMTypeOf(LLVMGetOperand(call, i));
	wrapper = LLVMAddFunction(module, name, LLVMFunctionType(LLVMTypeOf(call), types, count, 0));
	free(types);
	share(module, wrapper, name);
	for (unsigned i = 0; i <= count; i++)
		copy_passing(wrapper, LLVMAddAttributeAtIndex, call, callee, i);
	for (size_t i = 0; i < sizeof inherited / sizeof *inherited; i++) {
		LLVMAttributeRef attribute = inherited_of(caller, i);

		if (attribute)
			LLVMAddAttributeAtIndex(wrapper, LLVMAttributeFunctionIndex, attribute);
	}
	/* Exceptions, cancellation and backtraces pass through. Until LLVM 15 the attribute had no value. */
	add_own_attribute(wrapper, "uwtable", LLVM_VERSION_MAJOR >= 15 ? 2 : 0);
	add_own_attribute(wrapper, "noinline", 0);
	if (is_nounwind(call, callee))
		add_own_attribute(wrapper, "nounwind", 0);
	if (LLVMIsFunctionVarArg(type))
		snprintf(fixed, sizeof fixed, "%u", LLVMCountParamTypes(type));
	attribute_set(wrapper, CALL_WRAPPER_ATTRIBUTE, fixed);
	/* The patterns for calls chose the function, so filters do not concern the wrapper. */
	attribute_set(wrapper, ALWAYS_ATTRIBUTE, "true");
	return wrapper;
}

unsigned call_wrapper_fixed_arguments(LLVMValueRef function)
{
	static const char name[] = CALL_WRAPPER_ATTRIBUTE;
	LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, sizeof name - 1);
	unsigned length, number = 0;
	const char *value = attribute ? LLVMGetStringAttributeValue(attribute, &length) : NULL;

	if (!value || !length)
		return UINT_MAX;
	for (unsigned i = 0; i < length; i++)
		number = number * 10 + (unsigned)(value[i] - '0');
	return number;
}

static int fill_wrapper(LLVMValueRef wrapper, LLVMValueRef slot, LLVMValueRef call, LLVMValueRef callee)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(callee));
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMTypeRef type = LLVMGetCalledFunctionType(call);
	unsigned count = LLVMCountParams(wrapper);
	LLVMValueRef *arguments = malloc((count + 1) * sizeof *arguments), inner;

	if (arguments) {
		LLVMGetParams(wrapper, arguments);
		LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, wrapper, ""));
		inner = LLVMBuildCall2(builder, type, call_slot_load(builder, slot, 1, type), arguments, count, "");
		for (unsigned i = 0; i <= count; i++)
			call_copy_passing(inner, call, callee, i);
		if (is_nounwind(call, callee))
			LLVMAddCallSiteAttribute(inner, LLVMAttributeFunctionIndex,
						 LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("nounwind", 8), 0));
		/* The exit sled follows the call. */
		spoor_call_set_no_tail(inner);
		if (LLVMGetTypeKind(LLVMTypeOf(inner)) == LLVMVoidTypeKind)
			LLVMBuildRetVoid(builder);
		else
			LLVMBuildRet(builder, inner);
	}
	LLVMDisposeBuilder(builder);
	free(arguments);
	return arguments ? 0 : -1;
}

/* The fields of a slot: struct spoor_call_slot. */
static LLVMTypeRef slot_type(LLVMContextRef context)
{
	LLVMTypeRef pointer = LLVMPointerType(LLVMInt8TypeInContext(context), 0), word = LLVMInt32TypeInContext(context);
	LLVMTypeRef fields[] = {pointer, pointer, word, word};

	return LLVMStructTypeInContext(context, fields, 4, 0);
}

/* The distance from a slot's field at offset @field to @to. */
static LLVMValueRef distance(LLVMContextRef context, LLVMValueRef to, LLVMValueRef slot, size_t field)
{
	LLVMTypeRef address = LLVMInt64TypeInContext(context);
	LLVMValueRef from = LLVMConstAdd(LLVMConstPtrToInt(slot, address), LLVMConstInt(address, field, 0));

	return LLVMConstTrunc(LLVMConstSub(LLVMConstPtrToInt(to, address), from), LLVMInt32TypeInContext(context));
}

/* A private constant with the function's name. */
static LLVMValueRef name_text(LLVMModuleRef module, const char *name)
{
	LLVMValueRef text = LLVMConstStringInContext(LLVMGetModuleContext(module), name, (unsigned)strlen(name), 0);
	LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(text), ".spoor.name");

	LLVMSetInitializer(global, text);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
	LLVMSetAlignment(global, 1);
	return global;
}

static LLVMValueRef make_slot(LLVMValueRef wrapper, LLVMValueRef callee, const char *name, const char *wrapper_name)
{
	LLVMModuleRef module = LLVMGetGlobalParent(callee);
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef type = slot_type(context), pointer = LLVMPointerType(LLVMInt8TypeInContext(context), 0);
	LLVMValueRef slot = LLVMAddGlobal(module, type, name), fields[4];
	size_t length;
	const char *plain = LLVMGetValueName2(callee, &length);

	/* Marks a name that the target must not decorate. */
	plain += *plain == '\1';
	fields[0] = fields[1] = LLVMConstBitCast(callee, pointer);
	fields[2] = distance(context, wrapper, slot, offsetof(struct spoor_call_slot, wrapper));
	fields[3] = distance(context, name_text(module, plain), slot, offsetof(struct spoor_call_slot, name));
	LLVMSetInitializer(slot, LLVMConstStructInContext(context, fields, 4, 0));
	share(module, slot, wrapper_name);
	LLVMSetSection(slot, SECTION);
	LLVMSetAlignment(slot, 8);
	/* The runtime writes to it, so the compiler must not use its first value. */
	LLVMSetExternallyInitialized(slot, 1);
	spoor_global_keep(slot);
	return slot;
}

LLVMValueRef call_slot_for(LLVMValueRef call, LLVMValueRef callee)
{
	LLVMModuleRef module = LLVMGetGlobalParent(callee);
	uint64_t hash = hash_of(call, callee);
	size_t length;
	const char *plain = LLVMGetValueName2(callee, &length);
	LLVMValueRef slot = NULL, wrapper;
	char *name = NULL, *slot_name = NULL;

	if (!hash || asprintf(&name, "%s" SPOOR_WRAPPER_INFIX "%" PRIu64, plain + (*plain == '\1'), hash) < 0)
		return NULL;
	if (asprintf(&slot_name, "%s" SLOT_SUFFIX, name) >= 0) {
		slot = LLVMGetNamedGlobal(module, slot_name);
		wrapper = slot ? NULL : declare_wrapper(call, callee, name);
		if (wrapper) {
			slot = make_slot(wrapper, callee, slot_name, name);
			if (fill_wrapper(wrapper, slot, call, callee) < 0)
				slot = NULL;
		}
		free(slot_name);
	}
	free(name);
	return slot;
}

LLVMValueRef call_slot_load(LLVMBuilderRef builder, LLVMValueRef slot, unsigned field, LLVMTypeRef function)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(slot));
	LLVMTypeRef pointer = LLVMPointerType(LLVMInt8TypeInContext(context), 0);
	LLVMValueRef place = LLVMBuildStructGEP2(builder, slot_type(context), slot, field, "");

	/* A cast is made only if pointers have types (LLVM 14). */
	return LLVMBuildPointerCast(builder, LLVMBuildLoad2(builder, pointer, place, ""), LLVMPointerType(function, 0), "");
}
