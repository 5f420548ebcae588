/* SPDX-License-Identifier: MIT */
/* passing.c - how compilers pass a parameter of a source type. */
#include "reader/types/passing.h"

#include <string.h>

#define DEPTH_MAX 16u
#define LEAVES_MAX 16u

/* The scalars of a type. */
struct leaves {
	uint32_t count;
	bool is_odd;		/* too many, unaligned or unknown */
	bool has_long_double;
	struct leaf {
		uint64_t offset, size;
		bool is_real;
	} leaves[LEAVES_MAX];
};

static void add_leaf(struct leaves *leaves, uint64_t offset, uint64_t size, bool is_real)
{
	if (leaves->count == LEAVES_MAX || !size) {
		leaves->is_odd = true;
		return;
	}
	leaves->leaves[leaves->count++] = (struct leaf){ offset, size, is_real };
}

static void find_leaves(struct leaves *leaves, const struct value_type *type, uint64_t offset, unsigned int depth)
{
	if (depth == DEPTH_MAX || leaves->is_odd) {
		leaves->is_odd = true;
		return;
	}
	switch (type->kind) {
	case TYPE_STRUCT:
	case TYPE_UNION:
		for (uint32_t i = 0; i < type->count; i++) {
			const struct type_member *member = &type->members[i];

			if (member->bit_size)
				add_leaf(leaves, offset + member->bit / 8, (member->bit % 8 + member->bit_size + 7) / 8, false);
			else
				find_leaves(leaves, member->type, offset + member->offset, depth + 1);
		}
		break;
	case TYPE_ARRAY:
		for (uint32_t i = 0; i < type->count && !leaves->is_odd; i++)
			find_leaves(leaves, type->element, offset + i * type->element->size, depth + 1);
		break;
	case TYPE_COMPLEX:
		add_leaf(leaves, offset, type->size / 2, true);
		add_leaf(leaves, offset + type->size / 2, type->size / 2, true);
		leaves->has_long_double |= type->size == 32;
		break;
	case TYPE_REAL:
		add_leaf(leaves, offset, type->size, true);
		leaves->has_long_double |= type->size == 16;
		break;
	case TYPE_VECTOR:
	case TYPE_UNKNOWN:
		leaves->is_odd = true;
		break;
	default:
		leaves->is_odd |= type->size && offset % (type->size < 16 ? type->size : 16);
		add_leaf(leaves, offset, type->size, false);
	}
}

static void add_part(struct passing *passing, uint32_t argument, uint32_t part, enum passed_class class, uint64_t offset,
		     uint64_t size)
{
	passing->parts[passing->part_count++] = (struct passed_part){ argument, part, class, (uint32_t)offset, (uint32_t)size };
}

static void pass_whole(struct passing *passing, enum passed_class class, uint64_t size)
{
	passing->argument_count = passing->is_known = 1;
	add_part(passing, 0, 0, class, 0, size);
}

/* Returns the number of bytes of the type from @offset on, at most 8. */
static uint64_t word_bytes(uint64_t size, uint64_t offset)
{
	return size - offset < 8 ? size - offset : 8;
}

/* One or two words, each in the register of its class. @registers: null for a result */
static void pass_words(struct passing *passing, const struct value_type *type, const struct leaves *leaves,
		       const struct passing_registers *used)
{
	bool is_general[2] = { false, false }, is_used[2] = { false, false };
	uint32_t words = (uint32_t)(type->size + 7) / 8, general = 0, vectors;

	for (uint32_t i = 0; i < leaves->count; i++) {
		const struct leaf *leaf = &leaves->leaves[i];

		for (uint64_t word = leaf->offset / 8; word <= (leaf->offset + leaf->size - 1) / 8 && word < 2; word++) {
			is_used[word] = true;
			is_general[word] |= !leaf->is_real;
		}
	}
	/* A word of padding only. */
	if (!is_used[0] || (words > 1 && !is_used[1]))
		return;
	for (uint32_t word = 0; word < words; word++)
		general += is_general[word];
	vectors = words - general;
	/* Only the registers of one kind are full: registers of the other kind may have later values. */
	if (used && ((general && used->general + general > 6) || (vectors && used->vectors + vectors > 8))) {
		pass_whole(passing, words > 1 ? PASSED_MEMORY : PASSED_STACK_WORD, type->size);
		return;
	}
	for (uint32_t word = 0; word < words; word++)
		add_part(passing, used ? word : 0, used ? 0 : words > 1 ? word + 1 : 0,
			 is_general[word] ? PASSED_GENERAL : PASSED_VECTOR, 8 * word, word_bytes(type->size, 8 * word));
	passing->argument_count = words;
	passing->is_known = true;
}

static void pass_structure_x86_64(struct passing *passing, const struct value_type *type, const struct leaves *leaves,
				  const struct passing_registers *used)
{
	enum passed_class memory = used ? PASSED_MEMORY : PASSED_ADDRESS;

	if (type->size > 16 || (leaves->has_long_double && !leaves->is_odd && leaves->count == 1 && used))
		pass_whole(passing, memory, type->size);
	else if (!leaves->is_odd && !leaves->has_long_double)
		pass_words(passing, type, leaves, used);
}

/* Returns whether all scalars are real numbers of one size, at most four. */
static bool is_homogeneous(const struct leaves *leaves)
{
	for (uint32_t i = 0; i < leaves->count; i++)
		if (!leaves->leaves[i].is_real || leaves->leaves[i].size != leaves->leaves[0].size)
			return false;
	return leaves->count - 1 < 4 && !leaves->is_odd;
}

static void pass_structure_aarch64(struct passing *passing, const struct value_type *type, const struct leaves *leaves,
				   bool is_argument)
{
	if (is_homogeneous(leaves)) {
		bool has_parts = is_argument || leaves->count > 1;

		for (uint32_t i = 0; i < leaves->count; i++)
			add_part(passing, 0, has_parts ? i + 1 : 0, PASSED_VECTOR, leaves->leaves[i].offset, leaves->leaves[i].size);
		passing->argument_count = passing->is_known = 1;
	} else if (type->size > 16) {
		pass_whole(passing, PASSED_ADDRESS, type->size);
	} else if (type->size <= 8 && !leaves->is_odd) {
		pass_whole(passing, PASSED_GENERAL, type->size);
	} else if (!leaves->is_odd) {
		add_part(passing, 0, 1, PASSED_GENERAL, 0, 8);
		add_part(passing, 0, 2, PASSED_GENERAL, 8, type->size - 8);
		passing->argument_count = passing->is_known = 1;
	}
}

/* Rust passes a structure with one or two scalars as these, and a large one by its address. */
static void pass_rust(struct passing *passing, const struct value_type *type, const struct leaves *leaves, bool is_argument)
{
	if (type->size > 16 && (leaves->is_odd || leaves->count > 2)) {
		pass_whole(passing, PASSED_ADDRESS, type->size);
		return;
	}
	if (leaves->is_odd || leaves->count - 1 > 1)
		return;
	for (uint32_t i = 0; i < leaves->count; i++)
		add_part(passing, is_argument ? i : 0, is_argument || leaves->count == 1 ? 0 : i + 1,
			 leaves->leaves[i].is_real ? PASSED_VECTOR : PASSED_GENERAL, leaves->leaves[i].offset,
			 leaves->leaves[i].size);
	passing->argument_count = is_argument ? leaves->count : 1;
	passing->is_known = true;
}

/* Classes without members; C++ gives them one byte. Returns whether the type is one. */
static bool pass_empty(struct passing *passing, const struct function_types *function, const struct value_type *type,
		       const struct leaves *leaves)
{
	if (type->kind != TYPE_STRUCT || leaves->count || leaves->is_odd)
		return false;
	if (function->machine == TYPE_MACHINE_AARCH64 && type->size)
		pass_whole(passing, PASSED_GENERAL, 1);
	passing->is_known = true;
	return true;
}

static bool is_structure(const struct value_type *type)
{
	return type->kind == TYPE_STRUCT || type->kind == TYPE_UNION || type->kind == TYPE_COMPLEX || type->kind == TYPE_ARRAY;
}

static void pass_structure(struct passing *passing, const struct function_types *function, const struct value_type *type,
			   const struct passing_registers *used)
{
	struct leaves leaves = { 0 };

	if (type->by_reference) {
		pass_whole(passing, PASSED_ADDRESS, type->size);
		return;
	}
	find_leaves(&leaves, type, 0, 0);
	if (pass_empty(passing, function, type, &leaves))
		return;
	if (function->is_rust)
		pass_rust(passing, type, &leaves, used);
	else if (function->machine == TYPE_MACHINE_X86_64)
		pass_structure_x86_64(passing, type, &leaves, used);
	else
		pass_structure_aarch64(passing, type, &leaves, used);
}

/* GCC's plugin describes a parameter as one argument, whose registers are parts. */
static void join_parts(struct passing *passing)
{
	passing->argument_count = 1;
	for (uint32_t i = 0; i < passing->part_count; i++) {
		passing->parts[i].argument = 0;
		if (passing->is_structure && passing->parts[i].class <= PASSED_VECTOR)
			passing->parts[i].part = i + 1;
	}
}

/* An integer of two words if there are less than two registers. */
static void pass_wide_on_stack(struct passing *passing, const struct function_types *function,
			       const struct passing_registers *used)
{
	if (function->is_gcc)
		passing->parts[0].class = PASSED_MEMORY;
	else if (used->general < 6)
		/* The rules for one register that is left differ between versions of clang. */
		*passing = (struct passing){ 0 };
}

static void find_passing(const struct function_types *function, const struct value_type *type,
			 const struct passing_registers *used, struct passing *passing)
{
	*passing = (struct passing){ .is_structure = is_structure(type) };
	if (function->machine == TYPE_MACHINE_OTHER || type->kind == TYPE_UNKNOWN)
		return;
	if (passing->is_structure)
		pass_structure(passing, function, type, used);
	else if (type->kind == TYPE_REAL || type->kind == TYPE_VECTOR)
		pass_whole(passing, PASSED_VECTOR, type->size);
	else
		pass_whole(passing, PASSED_GENERAL, type->size);
	passing->is_padded = passing->is_structure && (passing->part_count > 1 || function->is_gcc);
	if (used && function->is_gcc && passing->is_known)
		join_parts(passing);
	if (used && function->machine == TYPE_MACHINE_X86_64 && used->general > 4 && passing->part_count == 1 &&
	    passing->parts[0].class == PASSED_GENERAL && type->size > 8)
		pass_wide_on_stack(passing, function, used);
}

void passing_of_parameter(const struct function_types *function, const struct value_type *type,
			  struct passing_registers *used, struct passing *passing)
{
	find_passing(function, type, used, passing);
	for (uint32_t i = 0; i < passing->part_count; i++) {
		const struct passed_part *part = &passing->parts[i];

		if (part->class == PASSED_VECTOR && !(type->kind == TYPE_REAL && type->size == 16))
			used->vectors++;
		else if (part->class == PASSED_ADDRESS)
			used->general++;
		else if (part->class == PASSED_GENERAL)
			used->general += (part->size + 7) / 8;
	}
}

void passing_of_result(const struct function_types *function, const struct value_type *type, struct passing *passing)
{
	find_passing(function, type, NULL, passing);
}
