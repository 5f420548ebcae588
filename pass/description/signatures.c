/* SPDX-License-Identifier: MIT */
/*
 * signatures.c - describes the arguments and results of a unit's functions.
 *
 * The pass runs after all optimisations of the unit, so the types are those that the code generator assigns
 * registers to: arguments that were removed, split or passed by value instead of by address are described as they
 * are. The runtime assigns the registers.
 */
#include "pass/description/signatures.h"

#include "format/signature_format.h"
#include "pass/calls/call_wrapper.h"
#include "pass/sleds/data_section.h"
#include "pass/llvm_more.h"
#include "pass/description/signature_record.h"
#include "pass/description/text_layouts.h"

#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* From llvm/IR/CallingConv.h: conventions that pass arguments and results as C does. */
enum { CONVENTION_C = 0, CONVENTION_FAST = 8, CONVENTION_COLD = 9, CONVENTION_PRESERVE_MOST = 14,
       CONVENTION_PRESERVE_ALL = 15, CONVENTION_TAIL = 18, CONVENTION_SYSV = 78 };

struct writer {
	LLVMTargetDataRef layout;
	struct signature_record record;
};

static void put(struct writer *writer, enum spoor_signature_item item)
{
	signature_put(&writer->record, item);
}

static void put_two(struct writer *writer, enum spoor_signature_item item, unsigned operand)
{
	signature_put_two(&writer->record, item, operand);
}

static bool has_attribute(LLVMValueRef function, unsigned index, const char *name)
{
	return LLVMGetEnumAttributeAtIndex(function, index, LLVMGetEnumAttributeKindForName(name, strlen(name))) != NULL;
}

/* The type of an attribute such as byval(T), or null. */
static LLVMTypeRef attribute_type(LLVMValueRef function, unsigned index, const char *name)
{
	LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(function, index,
								 LLVMGetEnumAttributeKindForName(name, strlen(name)));

	return attribute && LLVMIsTypeAttribute(attribute) ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

static uint64_t attribute_number(LLVMValueRef function, unsigned index, const char *name)
{
	LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(function, index,
								 LLVMGetEnumAttributeKindForName(name, strlen(name)));

	return attribute ? LLVMGetEnumAttributeValue(attribute) : 0;
}

static void put_integer(struct writer *writer, LLVMTypeRef type, enum spoor_signature_item item)
{
	unsigned width = LLVMGetIntTypeWidth(type);

	if (width > 128)
		put(writer, SPOOR_SIGNATURE_OTHER);
	else
		put_two(writer, item, width);
}

/* LLVM 14 has no registers for numbers of 16 bits on x86-64. */
static void put_small_real(struct writer *writer, bool is_bfloat)
{
	if (LLVM_VERSION_MAJOR < 15)
		put(writer, SPOOR_SIGNATURE_OTHER);
	else if (is_bfloat)
		put(writer, SPOOR_SIGNATURE_BFLOAT);
	else
		put_two(writer, SPOOR_SIGNATURE_REAL, 16);
}

/* Only vectors of the size of a register, with more than one element: the others are split or widened. */
static void put_vector(struct writer *writer, LLVMTypeRef type)
{
	LLVMTypeRef element = LLVMGetElementType(type);
	unsigned long long bits = LLVMSizeOfTypeInBits(writer->layout, type);
	bool fits = (bits == 64 || bits == 128) && LLVMGetVectorSize(type) > 1;

	if (LLVMGetTypeKind(element) == LLVMIntegerTypeKind) {
		unsigned width = LLVMGetIntTypeWidth(element);

		fits = fits && width >= 8 && !(width & (width - 1));
	}
	if (fits)
		put_two(writer, SPOOR_SIGNATURE_VECTOR, (unsigned)(bits / 8));
	else
		put(writer, SPOOR_SIGNATURE_OTHER);
}

static bool is_aggregate(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);

	return kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind;
}

static void put_scalar(struct writer *writer, LLVMTypeRef type, enum spoor_signature_item integer)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		put_integer(writer, type, integer);
		break;
	case LLVMPointerTypeKind:
		put(writer, LLVMGetPointerAddressSpace(type) ? SPOOR_SIGNATURE_OTHER : SPOOR_SIGNATURE_POINTER);
		break;
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
		put_small_real(writer, LLVMGetTypeKind(type) == LLVMBFloatTypeKind);
		break;
	case LLVMFloatTypeKind:
		put_two(writer, SPOOR_SIGNATURE_REAL, 32);
		break;
	case LLVMDoubleTypeKind:
		put_two(writer, SPOOR_SIGNATURE_REAL, 64);
		break;
	case LLVMX86_FP80TypeKind:
		put_two(writer, SPOOR_SIGNATURE_REAL, 80);
		break;
	case LLVMFP128TypeKind:
		put_two(writer, SPOOR_SIGNATURE_REAL, 128);
		break;
	case LLVMVectorTypeKind:
		put_vector(writer, type);
		break;
	default:
		put(writer, SPOOR_SIGNATURE_OTHER);
	}
}

/* Writes the parts of a structure or an array, which have no parts themselves. */
static void put_aggregate(struct writer *writer, LLVMTypeRef type)
{
	bool is_array = LLVMGetTypeKind(type) == LLVMArrayTypeKind;
	unsigned count = is_array ? LLVMGetArrayLength(type) : LLVMCountStructElementTypes(type);

	for (unsigned i = 0; i < count && !is_array; i++) {
		if (is_aggregate(LLVMStructGetTypeAtIndex(type, i))) {
			put(writer, SPOOR_SIGNATURE_OTHER);
			return;
		}
	}
	if (count > 32 || (is_array && is_aggregate(LLVMGetElementType(type)))) {
		put(writer, SPOOR_SIGNATURE_OTHER);
		return;
	}
	put_two(writer, is_array ? SPOOR_SIGNATURE_ARRAY : SPOOR_SIGNATURE_STRUCT, count);
	for (unsigned i = 0; i < count; i++)
		put_scalar(writer, is_array ? LLVMGetElementType(type) : LLVMStructGetTypeAtIndex(type, i),
			   SPOOR_SIGNATURE_INTEGER);
}

static void put_type(struct writer *writer, LLVMTypeRef type, enum spoor_signature_item integer)
{
	if (is_aggregate(type))
		put_aggregate(writer, type);
	else
		put_scalar(writer, type, integer);
}

static void put_byval(struct writer *writer, LLVMValueRef function, unsigned index, LLVMTypeRef type)
{
	uint64_t alignment = attribute_number(function, index, "align");

	if (!alignment)
		alignment = LLVMABIAlignmentOfType(writer->layout, type);
	signature_put_byval(&writer->record, LLVMABISizeOfType(writer->layout, type), alignment);
}

static enum spoor_signature_item integer_item(LLVMValueRef function, unsigned index)
{
	return has_attribute(function, index, "signext") ? SPOOR_SIGNATURE_SIGNED :
	       has_attribute(function, index, "zeroext") ? SPOOR_SIGNATURE_UNSIGNED : SPOOR_SIGNATURE_INTEGER;
}

/* Whether the argument has a larger alignment on the stack than its parts, which a description cannot say. */
static bool is_over_aligned(const struct writer *writer, LLVMValueRef function, LLVMValueRef argument, unsigned index)
{
	LLVMTypeRef type = LLVMTypeOf(argument);
	uint64_t alignment = attribute_number(function, index, "alignstack");

	return LLVMGetTypeKind(type) == LLVMArrayTypeKind && alignment > 8 &&
	       alignment > LLVMABIAlignmentOfType(writer->layout, LLVMGetElementType(type));
}

/* @index: of the argument's attributes, from 1 */
static void put_argument(struct writer *writer, LLVMValueRef function, LLVMValueRef argument, unsigned index)
{
	/* Arguments with special registers, or with a place that only the code generator knows. */
	static const char *const special[] = { "swiftself", "swifterror", "swiftasync", "inalloca", "preallocated" };
	LLVMTypeRef byval = attribute_type(function, index, "byval"), sret = attribute_type(function, index, "sret");

	for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
		if (has_attribute(function, index, special[i])) {
			put(writer, SPOOR_SIGNATURE_OTHER);
			return;
		}
	}
	if (is_over_aligned(writer, function, argument, index)) {
		put(writer, SPOOR_SIGNATURE_OTHER);
	} else if (has_attribute(function, index, "nest")) {
		put(writer, SPOOR_SIGNATURE_NEST);
	} else if (byval) {
		put_byval(writer, function, index, byval);
	} else if (sret) {
		signature_put_size(&writer->record, SPOOR_SIGNATURE_SRET, LLVMABISizeOfType(writer->layout, sret));
	} else {
		put_type(writer, LLVMTypeOf(argument), integer_item(function, index));
	}
}

static bool is_like_c(LLVMValueRef function)
{
	switch (LLVMGetFunctionCallConv(function)) {
	case CONVENTION_C:
	case CONVENTION_FAST:
	case CONVENTION_COLD:
	case CONVENTION_PRESERVE_MOST:
	case CONVENTION_PRESERVE_ALL:
	case CONVENTION_TAIL:
	case CONVENTION_SYSV:
		return true;
	default:
		return false;
	}
}

/* clang sets these flags in modules that a linker will optimise. */
static bool is_for_linker(LLVMModuleRef module)
{
	static const char *const flags[] = { "EnableSplitLTOUnit", "ThinLTO" };

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (LLVMGetModuleFlag(module, flags[i], strlen(flags[i])))
			return true;
	return false;
}

void signatures_begin(struct signatures *signatures, LLVMModuleRef module)
{
	*signatures = (struct signatures){ .module = module, .flags = is_for_linker(module) ? SPOOR_SIGNATURE_MAY_CHANGE : 0 };
}

static int add(struct signatures *signatures, uint64_t id, const struct signature_record *record)
{
	uint32_t unit = (uint32_t)(id >> 32), position = (uint32_t)id;
	size_t needed = signatures->size + SPOOR_SIGNATURE_HEAD + record->used;

	if (needed > signatures->room) {
		size_t room = 2 * needed + 1024;
		uint8_t *bytes = realloc(signatures->bytes, room);

		if (!bytes)
			return -ENOMEM;
		signatures->bytes = bytes;
		signatures->room = room;
	}
	for (int i = 0; i < 4; i++) {
		signatures->bytes[signatures->size + (size_t)i] = (uint8_t)(unit >> 8 * i);
		signatures->bytes[signatures->size + 4 + (size_t)i] = (uint8_t)(position >> 8 * i);
	}
	signatures->bytes[signatures->size + 8] = (uint8_t)record->used;
	memcpy(signatures->bytes + signatures->size + SPOOR_SIGNATURE_HEAD, record->bytes, record->used);
	signatures->size = needed;
	return 0;
}

static void put_layout(struct writer *writer, uint8_t layout)
{
	if (layout)
		put_two(writer, SPOOR_SIGNATURE_TEXT, layout);
}

int signatures_add(struct signatures *signatures, LLVMValueRef function, uint64_t id)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(function), result = LLVMGetReturnType(type);
	struct writer writer = { .layout = LLVMGetModuleDataLayout(signatures->module) };
	uint8_t layouts[SPOOR_LAYOUTS_MAX], layout = spoor_text_layouts(function, layouts);
	struct signature_record *record = &writer.record;
	unsigned fixed = call_wrapper_fixed_arguments(function);
	bool is_variadic = LLVMIsFunctionVarArg(type) || fixed != UINT_MAX;
	size_t fitting;

	signature_put(record, signatures->flags | (is_variadic ? SPOOR_SIGNATURE_VARIADIC : 0) |
			      (is_like_c(function) ? 0 : SPOOR_SIGNATURE_CONVENTION));
	if (LLVMGetTypeKind(result) != LLVMVoidTypeKind) {
		put_layout(&writer, layout);
		put_type(&writer, result, integer_item(function, LLVMAttributeReturnIndex));
	}
	put(&writer, SPOOR_SIGNATURE_END);
	fitting = record->used;
	for (unsigned i = 0; i < LLVMCountParams(function) && i < fixed && !record->is_full; i++) {
		fitting = record->used;
		if (attribute_type(function, i + 1, "sret"))
			put_layout(&writer, layout);
		else if (i < SPOOR_LAYOUTS_MAX)
			put_layout(&writer, layouts[i]);
		put_argument(&writer, function, LLVMGetParam(function, i), i + 1);
	}
	signature_end(record, fitting);
	return add(signatures, id, record);
}

int signatures_embed(const struct signatures *signatures)
{
	if (!signatures->size || !spoor_module_assembles(signatures->module))
		return 0;
	return data_section_add(signatures->module, SPOOR_SIGNATURES_SECTION, signatures->bytes, signatures->size);
}

void signatures_end(struct signatures *signatures)
{
	free(signatures->bytes);
	*signatures = (struct signatures){ .module = NULL };
}
