/* SPDX-License-Identifier: MIT */
/* text_layouts.cc - finds which arguments of a function lead to text, or to an object that is passed by value. */
#include "pass/description/text_layouts.h"

/* A macro that libtool defines; LLVM's headers use the name for a parameter. */
#undef PIC

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

#include "format/signature_format.h"

#include <string.h>

using namespace llvm;

static bool begins(StringRef text, const char *with)
{
	return text.substr(0, strlen(with)) == with;
}

/* Without typedef, const and volatile; sets whether const was among them. */
static const DIType *peel(const DIType *type, bool *is_const)
{
	while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
		unsigned tag = derived->getTag();

		if (tag != dwarf::DW_TAG_typedef && tag != dwarf::DW_TAG_const_type && tag != dwarf::DW_TAG_volatile_type &&
		    tag != dwarf::DW_TAG_restrict_type && tag != dwarf::DW_TAG_atomic_type)
			break;
		*is_const |= tag == dwarf::DW_TAG_const_type;
		type = derived->getBaseType();
	}
	return type;
}

static const DIType *peel(const DIType *type)
{
	bool is_const;

	return peel(type, &is_const);
}

static bool is_pointer(const DIType *type)
{
	unsigned tag = type ? type->getTag() : 0;

	return tag == dwarf::DW_TAG_pointer_type || tag == dwarf::DW_TAG_reference_type || tag == dwarf::DW_TAG_rvalue_reference_type;
}

/* The name space in which the type is declared. */
static StringRef scope_of(const DIType *type)
{
	auto *space = dyn_cast_or_null<DINamespace>(type->getScope());

	return space ? space->getName() : "";
}

/* The offset of a member in words; -1: there is none. */
static int find_word(const DICompositeType *type, StringRef member, unsigned depth)
{
	for (const DINode *node : type->getElements()) {
		auto *element = dyn_cast_or_null<DIDerivedType>(node);
		auto *inner = element ? dyn_cast_or_null<DICompositeType>(peel(element->getBaseType())) : nullptr;
		int word;

		if (!element || element->getTag() != dwarf::DW_TAG_member)
			continue;
		if (element->getName() == member)
			return static_cast<int>(element->getOffsetInBits() / 64);
		word = inner && depth < 8 ? find_word(inner, member, depth + 1) : -1;
		if (word >= 0)
			return word + static_cast<int>(element->getOffsetInBits() / 64);
	}
	return -1;
}

/* Rust does not promise the order of a String's words. */
static uint8_t layout_of_rust_string(const DICompositeType *type)
{
	int pointer = find_word(type, "pointer", 0), length = find_word(type, "len", 0);

	return length != 2 ? 0 : pointer == 0 ? SPOOR_LAYOUT_POINTER_CAPACITY_LENGTH :
	       pointer == 1 ? SPOOR_LAYOUT_CAPACITY_POINTER_LENGTH : 0;
}

static bool is_rust_slice(const DIType *type)
{
	return type->getName() == "&str" || type->getName() == "&mut str" || type->getName() == "&[u8]" ||
	       type->getName() == "&mut [u8]";
}

/* The layout of an object in memory. */
static uint8_t layout_in_memory(const DIType *type)
{
	auto *object = dyn_cast_or_null<DICompositeType>(type);

	if (!object)
		return 0;
	/* Another allocator may come before the text. */
	if ((begins(object->getName(), "basic_string<char,") && object->getName().contains("::allocator<char>")) ||
	    object->getName() == "basic_string<char>")
		return scope_of(object) == "__cxx11" ? SPOOR_LAYOUT_POINTER_LENGTH : scope_of(object) == "__1" ? SPOOR_LAYOUT_LIBCXX : 0;
	if (begins(object->getName(), "basic_string_view<char,") || object->getName() == "basic_string_view<char>")
		return scope_of(object) == "std" ? SPOOR_LAYOUT_LENGTH_POINTER : scope_of(object) == "__1" ? SPOOR_LAYOUT_POINTER_LENGTH : 0;
	if (object->getName() == "String" && scope_of(object) == "string")
		return layout_of_rust_string(object);
	return is_rust_slice(object) ? SPOOR_LAYOUT_POINTER_LENGTH : 0;
}

static uint8_t layout_of_pointer(const DIType *type)
{
	bool is_const = false;
	const DIType *target = peel(cast<DIDerivedType>(type)->getBaseType(), &is_const);
	auto *basic = dyn_cast_or_null<DIBasicType>(target);

	if (basic)
		return is_const && basic->getName() == "char" && type->getTag() == dwarf::DW_TAG_pointer_type ? SPOOR_LAYOUT_C : 0;
	return layout_in_memory(target);
}

/* How a parameter is passed: number of arguments, 0 if that is unknown, and the layout of one of them. */
struct passed {
	unsigned count, at;
	uint8_t layout;
};

/* Text whose address and length are passed by value. */
static passed pass_view(const Argument *first, uint8_t layout)
{
	bool pointer_first = layout == SPOOR_LAYOUT_POINTER_LENGTH;
	uint8_t by_value = pointer_first ? SPOOR_LAYOUT_LENGTH_NEXT : SPOOR_LAYOUT_LENGTH_BEFORE;

	/* On AArch64, C++ passes both in an array. */
	if (first->getType()->isArrayTy())
		return { 1, 0, by_value };
	if (pointer_first ? !first->getType()->isPointerTy() : !first->getType()->isIntegerTy(64))
		return { 0, 0, 0 };
	return { 2, pointer_first ? 0u : 1u, by_value };
}

/* Returns how many arguments a number of this type takes if it begins with @argument; 0: the argument is none. */
static unsigned count_numbers(const DIType *type, const Argument *argument)
{
	auto *basic = dyn_cast<DIBasicType>(type);

	if (basic && basic->getEncoding() == dwarf::DW_ATE_float)
		return argument->getType()->isFloatingPointTy();
	if (basic && basic->getEncoding() == dwarf::DW_ATE_complex_float)
		return 0;
	/* Some versions of clang pass an integer of two words as two arguments. */
	if (type->getSizeInBits() == 128 && argument->getType()->isIntegerTy(64))
		return 2;
	return argument->getType()->isIntegerTy(static_cast<unsigned>(type->getSizeInBits())) || argument->getType()->isIntegerTy(1);
}

/* An object of which the function gets the address. */
static uint8_t layout_of_object(const DIType *type)
{
	uint64_t bytes = type->getSizeInBits() / 8;
	uint8_t layout = layout_in_memory(type);

	return layout || !bytes ? layout : uint8_t(SPOOR_LAYOUT_OBJECT + (bytes < SPOOR_OBJECT_MOST ? bytes : SPOOR_OBJECT_MOST));
}

/* Whether the type has data: a class without data may take no argument. */
static bool has_data(const DIType *type, unsigned depth)
{
	auto *object = dyn_cast_or_null<DICompositeType>(type);

	if (!object || object->getTag() == dwarf::DW_TAG_enumeration_type)
		return type != nullptr;
	if (object->getTag() == dwarf::DW_TAG_array_type)
		return depth < 8 && has_data(peel(object->getBaseType()), depth + 1);
	for (const DINode *node : object->getElements()) {
		auto *element = dyn_cast_or_null<DIDerivedType>(node);
		bool is_part = element && !element->isStaticMember() &&
			       (element->getTag() == dwarf::DW_TAG_member || element->getTag() == dwarf::DW_TAG_inheritance);

		if (is_part && depth < 8 && has_data(peel(element->getBaseType()), depth + 1))
			return true;
	}
	return false;
}

/* A reference to a slice of any type: its address and its length are two arguments. */
static bool is_rust_fat_pointer(const DICompositeType *object)
{
	return object->getSizeInBits() == 128 && find_word(object, "data_ptr", 8) == 0 && find_word(object, "length", 8) == 1;
}

/* Returns how many arguments a structure in registers, or a copy on the stack, takes by the rules of C; 0: unknown. */
static unsigned count_words(const DICompositeType *object, const Argument *first)
{
	const DISubprogram *source = first->getParent()->getSubprogram();
	uint64_t bits = object->getSizeInBits();

	if (source->getUnit() && source->getUnit()->getProducer().contains("rustc"))
		return is_rust_fat_pointer(object) && first->getType()->isPointerTy() ? 2 : 0;
	if (first->hasByValAttr() || first->getType()->isArrayTy())
		return 1;
	if (!bits || bits > 128 || !has_data(object, 0))
		return 0;
	return bits > 64 && first->getParent()->getParent()->getDataLayout().getTypeSizeInBits(first->getType()) <= 64 ? 2 : 1;
}

static passed pass(const DIType *type, const Argument *first)
{
	auto *object = dyn_cast_or_null<DICompositeType>(type);

	if (!type)
		return { 0, 0, 0 };
	if (is_pointer(type))
		return { first->getType()->isPointerTy() ? 1u : 0u, 0, layout_of_pointer(type) };
	if (!object || object->getTag() == dwarf::DW_TAG_enumeration_type)
		return { count_numbers(type, first), 0, 0 };
	if (type->getSizeInBits() == 128 && layout_in_memory(type) && !object->isTypePassByReference())
		return pass_view(first, layout_in_memory(type));
	/* By address, or a copy on the stack. */
	if (first->getType()->isPointerTy() && (type->getSizeInBits() > 128 || object->isTypePassByReference()))
		return { 1, 0, first->hasByValAttr() ? uint8_t(0) : layout_of_object(type) };
	return { object->isTypePassByReference() ? 0 : count_words(object, first), 0, 0 };
}

/* Whether the argument can have this layout. */
static bool agrees(const Argument *argument, uint8_t layout)
{
	return !layout || argument->getType()->isPointerTy() || argument->getType()->isArrayTy();
}

static uint8_t layout_of_result(const DIType *type, const Function *function)
{
	const Type *returned = function->getReturnType();

	if (type && is_pointer(type) && returned->isPointerTy())
		return layout_of_pointer(type);
	if (type && function->hasStructRetAttr())
		return layout_in_memory(type);
	if (type && type->getSizeInBits() == 128 && layout_in_memory(type) && (returned->isStructTy() || returned->isArrayTy()))
		return layout_in_memory(type) == SPOOR_LAYOUT_POINTER_LENGTH ? SPOOR_LAYOUT_LENGTH_NEXT : SPOOR_LAYOUT_LENGTH_BEFORE;
	return 0;
}

/* Whether the first argument is the address of the result. The optimiser may have removed the attribute of a local
 * function that says so. */
static bool begins_with_result(const Function *function, const DIType *result)
{
	if (function->hasStructRetAttr())
		return true;
	return result && isa<DICompositeType>(result) && result->getSizeInBits() > 128 && function->hasLocalLinkage() &&
	       function->getReturnType()->isVoidTy() && function->arg_size() && function->getArg(0)->getType()->isPointerTy();
}

extern "C" uint8_t spoor_text_layouts(LLVMValueRef value, uint8_t layouts[SPOOR_LAYOUTS_MAX])
{
	auto *function = unwrap<Function>(value);
	const DISubprogram *source = function->getSubprogram();
	DITypeRefArray types = source && source->getType() ? source->getType()->getTypeArray() : DITypeRefArray(nullptr);
	bool is_whole = true;
	unsigned at;

	memset(layouts, 0, SPOOR_LAYOUTS_MAX);
	if (!types || !types.size())
		return 0;
	at = begins_with_result(function, peel(types[0]));
	for (unsigned i = 1; i < types.size() && is_whole; i++) {
		passed how = { 0, 0, 0 };

		/* The last type of a variadic function is null. */
		if (!types[i] && i + 1 == types.size())
			break;
		if (at == function->arg_size()) {
			/* A parameter before it took another number of arguments, or this one takes none. */
			if (has_data(peel(types[i]), 0))
				memset(layouts, 0, SPOOR_LAYOUTS_MAX);
			is_whole = false;
			break;
		}
		how = pass(peel(types[i]), function->getArg(at));
		if (!how.count || at + how.count > function->arg_size() || at + how.count > SPOOR_LAYOUTS_MAX) {
			is_whole = false;
			break;
		}
		if (!agrees(function->getArg(at + how.at), how.layout)) {
			memset(layouts, 0, SPOOR_LAYOUTS_MAX);
			break;
		}
		layouts[at + how.at] = how.layout;
		at += how.count;
	}
	/* The optimiser may have removed or split arguments of local functions. */
	if (function->hasLocalLinkage() ? !is_whole || at != function->arg_size() : is_whole && at != function->arg_size())
		memset(layouts, 0, SPOOR_LAYOUTS_MAX);
	return layout_of_result(peel(types[0]), function);
}
