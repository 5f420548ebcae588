/* SPDX-License-Identifier: MIT */
/* dwarf_type_entries.c - makes types from the entries of debug information. */
#include "reader/types/dwarf_type_entries.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS_MAX 256u
#define ENUMERATORS_MAX 4096u
#define DEPTH_MAX 32u		/* of types inside types */

static struct value_type *read_type(struct type_entries *entries, Dwarf_Die *die, unsigned int depth);

static const struct value_type *type_of(struct type_entries *entries, Dwarf_Die *die, unsigned int depth)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type, peeled;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type) ||
	    dwarf_peel_type(&type, &peeled) != 0)
		return NULL;
	return read_type(entries, &peeled, depth);
}

const struct value_type *type_entries_of(struct type_entries *entries, Dwarf_Die *die)
{
	return type_of(entries, die, 0);
}

static uint64_t number_of(Dwarf_Die *die, unsigned int name, uint64_t otherwise)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	return dwarf_attr_integrate(die, name, &attribute) && dwarf_formudata(&attribute, &number) == 0 ? number : otherwise;
}

static const char *copy_name(struct type_entries *entries, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return type_arena_copy(&entries->arena, name ? name : "");
}

static void take_base(const struct type_entries *entries, struct value_type *type, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	type->is_extended = entries->is_x86_64 && name && (strstr(name, "long double") || strstr(name, "kind=10"));
	switch (number_of(die, DW_AT_encoding, 0)) {
	case DW_ATE_boolean:
		type->kind = TYPE_BOOL;
		break;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
		/* int8_t and uint8_t are numbers. */
		type->kind = name && strcmp(name, "char") == 0 ? TYPE_CHARACTER :
			     number_of(die, DW_AT_encoding, 0) == DW_ATE_signed_char ? TYPE_SIGNED : TYPE_UNSIGNED;
		break;
	case DW_ATE_UTF:
		type->kind = TYPE_CHARACTER;
		break;
	case DW_ATE_signed:
		type->kind = TYPE_SIGNED;
		break;
	case DW_ATE_unsigned:
		type->kind = TYPE_UNSIGNED;
		break;
	case DW_ATE_float:
		type->kind = TYPE_REAL;
		break;
	case DW_ATE_complex_float:
		type->kind = TYPE_COMPLEX;
		break;
	case DW_ATE_address:
		type->kind = TYPE_POINTER;
		break;
	default:
		break;
	}
}

static bool is_signed_type(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type, peeled;
	uint64_t encoding;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type) ||
	    dwarf_peel_type(&type, &peeled) != 0)
		return false;
	encoding = number_of(&peeled, DW_AT_encoding, 0);
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

/* Goes on to the next child. Returns whether there is one; in a damaged file, an entry may lead back. */
static bool next_child(Dwarf_Die *die)
{
	Dwarf_Die next;

	if (dwarf_siblingof(die, &next) != 0 || (const char *)next.addr <= (const char *)die->addr)
		return false;
	*die = next;
	return true;
}

static void take_enumeration(struct type_entries *entries, struct value_type *type, Dwarf_Die *die)
{
	struct type_enumerator *all;
	Dwarf_Attribute attribute;
	uint32_t count = 0;
	Dwarf_Die child;

	type->is_signed = is_signed_type(die);
	for (bool more = dwarf_child(die, &child) == 0; more && count < ENUMERATORS_MAX; more = next_child(&child))
		count += dwarf_tag(&child) == DW_TAG_enumerator;
	all = type_arena_get(&entries->arena, (count + 1) * sizeof(*all));
	if (!all)
		return;
	for (bool more = dwarf_child(die, &child) == 0; more && type->count < count; more = next_child(&child)) {
		struct type_enumerator *one = &all[type->count];
		Dwarf_Sword value;

		if (dwarf_tag(&child) != DW_TAG_enumerator || !dwarf_attr(&child, DW_AT_const_value, &attribute) ||
		    dwarf_formsdata(&attribute, &value) != 0)
			continue;
		one->name = copy_name(entries, &child);
		if (!one->name)
			return;
		/* DWARF does not say whether a constant of one byte is signed. */
		if (type->size < 8 && !type->is_signed)
			value &= (Dwarf_Sword)((1ull << (8 * type->size)) - 1);
		one->value = (uint64_t)value;
		type->count++;
	}
	type->enumerators = all;
	type->kind = TYPE_ENUM;
}

/* The lowest bit of a bit-field, counted from the begin of the structure. */
static uint32_t find_bit(Dwarf_Die *die, const struct type_member *member)
{
	uint64_t storage;

	if (dwarf_hasattr(die, DW_AT_data_bit_offset))
		return (uint32_t)number_of(die, DW_AT_data_bit_offset, 0);
	/* DWARF 2 and 3 count from the highest bit of the storage unit. */
	storage = number_of(die, DW_AT_byte_size, member->type->size);
	return (uint32_t)(8 * (member->offset + storage) - number_of(die, DW_AT_bit_offset, 0) - member->bit_size);
}

/* A base class has the name of its type. */
static const char *copy_type_name(struct type_entries *entries, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type;

	if (!dwarf_attr(die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type))
		return "";
	return copy_name(entries, &type);
}

/* Returns whether the child is a part of the structure with a known place. */
static bool take_member(struct type_entries *entries, Dwarf_Die *die, struct type_member *member, unsigned int depth)
{
	int tag = dwarf_tag(die);

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || dwarf_hasattr(die, DW_AT_external) ||
	    dwarf_hasattr(die, DW_AT_declaration))
		return false;
	*member = (struct type_member){
		.name = copy_name(entries, die),
		.type = type_of(entries, die, depth + 1),
		.offset = number_of(die, DW_AT_data_member_location, 0),
		.bit_size = (uint32_t)number_of(die, DW_AT_bit_size, 0),
	};
	if (!member->type)
		return false;
	if (tag == DW_TAG_inheritance)
		member->name = copy_type_name(entries, die);
	if (!member->name)
		return false;
	if (member->bit_size)
		member->bit = find_bit(die, member);
	return true;
}

static void take_members(struct type_entries *entries, struct value_type *type, Dwarf_Die *die, unsigned int depth)
{
	struct type_member members[MEMBERS_MAX], *kept;
	bool is_whole = true;
	uint32_t count = 0;
	Dwarf_Die child;

	for (bool more = dwarf_child(die, &child) == 0; more; more = next_child(&child)) {
		/* A virtual base has no fixed place, and neither has a variant of Rust. */
		is_whole &= dwarf_tag(&child) != DW_TAG_variant_part && count < MEMBERS_MAX &&
			    !(dwarf_tag(&child) == DW_TAG_inheritance && dwarf_hasattr(&child, DW_AT_virtuality));
		if (is_whole && take_member(entries, &child, &members[count], depth))
			count++;
	}
	type->by_reference = number_of(die, DW_AT_calling_convention, 0) == DW_CC_pass_by_reference;
	kept = type_arena_get(&entries->arena, (count + 1) * sizeof(*kept));
	if (!kept || !is_whole || dwarf_hasattr(die, DW_AT_declaration))
		return;
	memcpy(kept, members, count * sizeof(*kept));
	type->members = kept;
	type->count = count;
	type->kind = dwarf_tag(die) == DW_TAG_union_type ? TYPE_UNION : TYPE_STRUCT;
}

static void take_array(struct type_entries *entries, struct value_type *type, Dwarf_Die *die, unsigned int depth)
{
	Dwarf_Attribute attribute;
	uint64_t count = 1;
	bool is_vector = false;
	Dwarf_Die child;

	for (bool more = dwarf_child(die, &child) == 0; more; more = next_child(&child)) {
		uint64_t length = number_of(&child, DW_AT_upper_bound, UINT64_MAX) + 1;

		if (dwarf_tag(&child) == DW_TAG_subrange_type)
			count *= number_of(&child, DW_AT_count, length);
		if (count > UINT16_MAX)
			return;
	}
	type->element = type_of(entries, die, depth + 1);
	if (!type->element || !type->element->size)
		return;
	type->count = (uint32_t)count;
	type->size = type->element->size * count;
	if (dwarf_formflag(dwarf_attr(die, DW_AT_GNU_vector, &attribute), &is_vector) != 0)
		is_vector = false;
	type->kind = is_vector ? TYPE_VECTOR : TYPE_ARRAY;
}

/* A pointer to a member function of C++ has two words. */
static void take_member_pointer(struct type_entries *entries, struct value_type *type, Dwarf_Die *die)
{
	static const struct value_type address = { .kind = TYPE_POINTER, .size = 8 }, offset = { .kind = TYPE_SIGNED, .size = 8 };
	static const struct type_member members[] = { { "ptr", &address, 0, 0, 0 }, { "adj", &offset, 8, 0, 0 } };
	Dwarf_Attribute attribute;
	Dwarf_Die target;

	(void)entries;
	type->size = 8;
	type->kind = TYPE_SIGNED;
	if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &target) ||
	    dwarf_tag(&target) != DW_TAG_subroutine_type)
		return;
	type->kind = TYPE_STRUCT;
	type->size = 16;
	type->count = 2;
	type->members = members;
}

static void take_type(struct type_entries *entries, struct value_type *type, Dwarf_Die *die, unsigned int depth)
{
	int bytes = dwarf_bytesize(die);

	type->size = bytes > 0 ? (uint64_t)bytes : 0;
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		take_base(entries, type, die);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_unspecified_type:	/* of nullptr */
		type->kind = TYPE_POINTER;
		type->size = 8;
		break;
	case DW_TAG_ptr_to_member_type:
		take_member_pointer(entries, type, die);
		break;
	case DW_TAG_enumeration_type:
		take_enumeration(entries, type, die);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		if (depth < DEPTH_MAX)
			take_members(entries, type, die, depth);
		break;
	case DW_TAG_array_type:
		if (depth < DEPTH_MAX)
			take_array(entries, type, die, depth);
		break;
	default:
		break;
	}
}

static struct value_type *read_type(struct type_entries *entries, Dwarf_Die *die, unsigned int depth)
{
	uint32_t *position = map64_at(&entries->known, (uint64_t)(uintptr_t)die->addr);
	struct value_type *type;

	if (!position)
		return NULL;
	/* A type that is being read, in a damaged file, is unknown. */
	if (*position)
		return (struct value_type *)entries->types[*position - 1];
	if (entries->count == entries->capacity) {
		uint32_t capacity = entries->capacity ? 2 * entries->capacity : 256;
		const struct value_type **larger = reallocarray(entries->types, capacity, sizeof(*larger));

		if (!larger)
			return NULL;
		entries->types = larger;
		entries->capacity = capacity;
	}
	type = type_arena_get(&entries->arena, sizeof(*type));
	if (!type)
		return NULL;
	entries->types[entries->count++] = type;
	*position = entries->count;
	take_type(entries, type, die, depth);
	return type;
}

void type_entries_free(struct type_entries *entries)
{
	type_arena_free(&entries->arena);
	map64_free(&entries->known);
	free(entries->types);
}
