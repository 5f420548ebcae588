/* SPDX-License-Identifier: MIT */
/*
 * gcc_signatures.cc - describes the arguments and result of a function that GCC compiled.
 *
 * RTL says where GCC put each argument, after all changes of the signature by optimisations. The description names
 * types, from which the runtime computes the places by LLVM's rules. So a structure is described by the registers
 * that it is in, as clang does, or as bytes on the stack.
 */
#include "pass/gcc/gcc_signatures.h"

#include "pass/gcc/gcc_target.h"
#include "pass/gcc/gcc_texts.h"
#include "pass/description/signature_record.h"

typedef signature_record record;

/* In bytes; 0 for a size that depends on the processor. */
static unsigned size_of(machine_mode mode)
{
	poly_int64 size = GET_MODE_SIZE(mode);
	HOST_WIDE_INT bytes;

	return size.is_constant(&bytes) ? bytes : 0;
}

static void put_other(record *record)
{
	signature_put(record, SPOOR_SIGNATURE_OTHER);
}

/* A value in a vector register, or a real number on the stack. */
static void put_vector(record *record, machine_mode mode)
{
	unsigned size = size_of(mode);

	if (SCALAR_FLOAT_MODE_P(mode) && gcc_target_is_brain_float(mode))
		signature_put(record, SPOOR_SIGNATURE_BFLOAT);
	else if (SCALAR_FLOAT_MODE_P(mode) && !DECIMAL_FLOAT_MODE_P(mode))
		signature_put_two(record, SPOOR_SIGNATURE_REAL, GET_MODE_PRECISION(as_a<scalar_float_mode>(mode)));
	else if (size == 8 || size == 16)
		signature_put_two(record, SPOOR_SIGNATURE_VECTOR, size);
	else
		put_other(record);
}

/* Returns where the data of @type end within the word of 8 bytes that begins at byte @from: padding is no data. */
static HOST_WIDE_INT end_of_data(tree type, HOST_WIDE_INT from)
{
	HOST_WIDE_INT end = 0;

	if (!RECORD_OR_UNION_TYPE_P(type))
		return MIN(int_size_in_bytes(type) - from, 8);
	for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field)) {
		HOST_WIDE_INT at;

		if (TREE_CODE(field) != FIELD_DECL)
			continue;
		at = DECL_BIT_FIELD_TYPE(field) || !tree_fits_shwi_p(DECL_FIELD_OFFSET(field)) ? -1 : int_byte_position(field);
		/* Bit fields may fill the word. */
		if (at < 0)
			return 8;
		if (at < from + 8 && at + int_size_in_bytes(TREE_TYPE(field)) > from)
			end = MAX(end, end_of_data(TREE_TYPE(field), from - at));
	}
	return end;
}

/* The number of words of @type, from byte @from on, that a register and perhaps the next one hold. */
static unsigned count_words(rtx part, tree type, HOST_WIDE_INT from)
{
	HOST_WIDE_INT bytes = size_of(GET_MODE(part)) ? size_of(GET_MODE(part)) : int_size_in_bytes(type) - from;

	return bytes > 8 && AGGREGATE_TYPE_P(type) && !gcc_target_is_vector_register(REGNO(part)) ? 2 : 1;
}

/* A register that holds a part of @type, or two registers. @from: the part's first byte */
static void put_register(record *record, rtx part, tree type, HOST_WIDE_INT from)
{
	machine_mode mode = GET_MODE(part);
	unsigned words = count_words(part, type, from);

	if (gcc_target_is_vector_register(REGNO(part))) {
		put_vector(record, mode);
		return;
	}
	for (unsigned word = 0; word < words; word++, from += 8) {
		HOST_WIDE_INT end = RECORD_OR_UNION_TYPE_P(type) ? end_of_data(type, from) : 0;
		HOST_WIDE_INT size = words > 1 ? 8 : size_of(mode) ? size_of(mode) : MIN(int_size_in_bytes(type) - from, 8);

		signature_put_two(record, SPOOR_SIGNATURE_INTEGER, 8 * (end > 0 && end < size ? end : size));
	}
}

/* @layout: of the text to which the next item leads; 0: none */
static void put_layout(record *record, uint8_t layout)
{
	if (layout)
		signature_put_two(record, SPOOR_SIGNATURE_TEXT, layout);
}

static rtx part_of(rtx parts, int i)
{
	return XEXP(XVECEXP(parts, 0, i), 0);
}

static HOST_WIDE_INT begin_of_part(rtx parts, int i)
{
	return INTVAL(XEXP(XVECEXP(parts, 0, i), 1));
}

static void put_registers(record *record, rtx parts, tree type)
{
	unsigned count = 0;

	for (int i = 0; i < XVECLEN(parts, 0); i++)
		count += count_words(part_of(parts, i), type, begin_of_part(parts, i));
	put_layout(record, count == 2 ? gcc_text_of_pair(type) : 0);
	signature_put_two(record, SPOOR_SIGNATURE_STRUCT, count);
	for (int i = 0; i < XVECLEN(parts, 0); i++)
		put_register(record, part_of(parts, i), type, begin_of_part(parts, i));
}

static void put_integer(record *record, tree type)
{
	signature_put_two(record, TYPE_UNSIGNED(type) ? SPOOR_SIGNATURE_UNSIGNED : SPOOR_SIGNATURE_SIGNED, TYPE_PRECISION(type));
}

static bool is_pointer(tree type)
{
	return POINTER_TYPE_P(type) || TREE_CODE(type) == NULLPTR_TYPE;
}

static void put_pointer(record *record, tree type)
{
	put_layout(record, gcc_text_of_pointer(type));
	signature_put(record, SPOOR_SIGNATURE_POINTER);
}

/* Tells if all its parts are in registers that exist: some versions have parts in memory too. */
static bool is_in_registers(rtx place)
{
	if (REG_P(place))
		return true;
	if (GET_CODE(place) != PARALLEL || XVECLEN(place, 0) > 8)
		return false;
	for (int i = 0; i < XVECLEN(place, 0); i++)
		if (!XEXP(XVECEXP(place, 0, i), 0) || !REG_P(XEXP(XVECEXP(place, 0, i), 0)))
			return false;
	return true;
}

/* The address of an object that the source passes by value. */
static void put_object(record *record, tree type)
{
	HOST_WIDE_INT size = int_size_in_bytes(type);
	uint8_t layout = gcc_text_of_object(type);

	if (!layout && size > 0)
		layout = (uint8_t)(SPOOR_LAYOUT_OBJECT + MIN(size, (HOST_WIDE_INT)SPOOR_OBJECT_MOST));
	put_layout(record, layout);
	signature_put(record, SPOOR_SIGNATURE_POINTER);
}

/* @place: in registers */
static void put_in_registers(record *record, tree type, rtx place)
{
	HOST_WIDE_INT size = int_size_in_bytes(type);

	if (INTEGRAL_TYPE_P(type) && TYPE_PRECISION(type) <= 128) {
		put_integer(record, type);
	} else if (GET_CODE(place) == PARALLEL) {
		put_registers(record, place, type);
	} else if (AGGREGATE_TYPE_P(type) && (size < 0 || size > 8) && GET_MODE(place) == Pmode) {
		put_object(record, type);
	} else if (is_pointer(type)) {
		put_pointer(record, type);
	} else if (COMPLEX_MODE_P(GET_MODE(place)) && !gcc_target_is_vector_register(REGNO(place))) {
		put_other(record);
	} else if (count_words(place, type, 0) == 2) {
		put_layout(record, gcc_text_of_pair(type));
		gcc_target_put_pair(record, type);
	} else {
		put_register(record, place, type, 0);
	}
}

/* The bytes of @type between two arguments on the stack. */
static void put_on_stack(record *record, tree type, rtx place)
{
	HOST_WIDE_INT size = int_size_in_bytes(type);
	bool is_wide = INTEGRAL_TYPE_P(type) && TYPE_PRECISION(type) > 64;

	if (size < 0 || (AGGREGATE_TYPE_P(type) && size > 8 && GET_MODE(place) == Pmode))
		put_object(record, type);
	else if (INTEGRAL_TYPE_P(type) && !is_wide)
		put_integer(record, type);
	else if (is_pointer(type))
		put_pointer(record, type);
	else if (SCALAR_FLOAT_TYPE_P(type))
		put_vector(record, TYPE_MODE(type));
	else
		gcc_target_put_memory(record, type);
}

/* Whether a register or the stack has the address of the object, which the source passes by value. */
static bool is_at_address(rtx place)
{
	return MEM_P(place) && (MEM_P(XEXP(place, 0)) || (REG_P(XEXP(place, 0)) && FUNCTION_ARG_REGNO_P(REGNO(XEXP(place, 0)))));
}

static void put_argument(record *record, tree parameter)
{
	tree type = TREE_TYPE(parameter);
	rtx place = DECL_INCOMING_RTL(parameter);

	/* Without a prototype, callers pass a float as a double. */
	if (SCALAR_FLOAT_TYPE_P(type))
		type = DECL_ARG_TYPE(parameter);
	/* A class with an unnamed bit-field alone counts as empty, and has a register. */
	if (AGGREGATE_TYPE_P(type) && (int_size_in_bytes(type) == 0 || (TYPE_EMPTY_P(type) && !(place && is_in_registers(place)))))
		signature_put_two(record, SPOOR_SIGNATURE_STRUCT, 0);
	else if (DECL_BY_REFERENCE(parameter) && is_pointer(type) && place && (REG_P(place) || MEM_P(place)))
		put_object(record, TREE_TYPE(type));
	else if (place && is_in_registers(place))
		put_in_registers(record, type, place);
	else if (place && AGGREGATE_TYPE_P(type) && is_at_address(place))
		put_object(record, type);
	else if (place && MEM_P(place))
		put_on_stack(record, type, place);
	else
		put_other(record);
}

static void put_result(record *record, tree decl)
{
	tree type = TREE_TYPE(DECL_RESULT(decl));
	rtx place;

	if (VOID_TYPE_P(type) || aggregate_value_p(DECL_RESULT(decl), decl))
		return;
	place = targetm.calls.function_value(type, decl, true);
	if (place && is_in_registers(place))
		put_in_registers(record, type, place);
	else
		put_other(record);
}

static record describe(tree decl)
{
	tree result = DECL_RESULT(decl);
	record made = record();
	size_t fitting;

	signature_put(&made, stdarg_p(TREE_TYPE(decl)) ? SPOOR_SIGNATURE_VARIADIC : 0);
	put_result(&made, decl);
	signature_put(&made, SPOOR_SIGNATURE_END);
	if (!VOID_TYPE_P(TREE_TYPE(result)) && aggregate_value_p(result, decl)) {
		/* The result may be a reference to the object. */
		tree type = DECL_BY_REFERENCE(result) ? TREE_TYPE(TREE_TYPE(result)) : TREE_TYPE(result);
		HOST_WIDE_INT size = int_size_in_bytes(type);

		put_layout(&made, gcc_text_of_object(type));
		signature_put_size(&made, SPOOR_SIGNATURE_SRET, size > 0 ? size : 0);
	}
	fitting = made.used;
	for (tree parameter = DECL_ARGUMENTS(decl); parameter && !made.is_full; parameter = DECL_CHAIN(parameter)) {
		fitting = made.used;
		put_argument(&made, parameter);
	}
	signature_end(&made, fitting);
	return made;
}

void gcc_signatures_print(tree decl, unsigned position)
{
	record made = describe(decl);

	fprintf(asm_out_file, "\t.pushsection " SPOOR_SIGNATURES_SECTION ",\"R\",%%progbits\n"
		"\t.4byte .Lspoor_unit, %u\n\t.byte %u\n", position, (unsigned)made.used);
	default_elf_asm_output_ascii(asm_out_file, (const char *)made.bytes, made.used);
	fputs("\t.popsection\n", asm_out_file);
}
