/* SPDX-License-Identifier: MIT */
/* value_owners.c - finds the source parameter to which each value of a capture belongs. */
#include "reader/types/value_owners.h"

#include <string.h>

#include "reader/types/passing.h"

struct matching {
	const struct function_types *function;
	const struct spoor_capture_value *values;
	uint32_t count;
	struct value_owner *owners;
};

/* Returns the position of a value; @count if it was not captured. */
static uint32_t find_value(const struct matching *matching, uint32_t argument, uint32_t part)
{
	for (uint32_t i = 0; i < matching->count; i++) {
		const struct spoor_capture_value *value = &matching->values[i];

		if (value->storage != SPOOR_VALUE_NOTHING && value->argument == argument && (value->part == part || value->type == SPOOR_TYPE_BYTES || value->type == SPOOR_TYPE_TEXT))
			return i;
	}
	return matching->count;
}

/* The size of a value, in bits. */
static uint32_t bits_of(const struct spoor_capture_value *value)
{
	return value->storage == SPOOR_VALUE_BITS ? value->size : value->storage == SPOOR_VALUE_BYTES ? 8u * value->size : 64;
}

static bool is_general(const struct spoor_capture_value *value)
{
	return (value->type >= SPOOR_TYPE_INTEGER && value->type <= SPOOR_TYPE_POINTER) || value->type == SPOOR_TYPE_TEXT;
}

/* Returns whether the captured value can be this part of a parameter. */
static bool agrees(const struct spoor_capture_value *value, const struct passing *passing, const struct passed_part *part)
{
	uint32_t bits = bits_of(value);

	switch (part->class) {
	case PASSED_GENERAL:
		if (!is_general(value) || bits > (passing->is_structure ? 64 : 8 * part->size))
			return false;
		return bits >= 8 * part->size || (part->size == 1 && bits == 1) || passing->is_padded;
	case PASSED_VECTOR:
		/* Without a prototype, a float is passed as a double. */
		return (value->type == SPOOR_TYPE_REAL || value->type == SPOOR_TYPE_BFLOAT || value->type == SPOOR_TYPE_VECTOR) &&
		       (bits == 8 * part->size || bits == 80 || (passing->is_structure && bits > 8 * part->size));
	case PASSED_MEMORY:
		return value->type == SPOOR_TYPE_BYTES;
	case PASSED_STACK_WORD:
		return value->place & SPOOR_PLACE_STACK && bits >= 8 * part->size && value->type != SPOOR_TYPE_TEXT;
	default:
		return value->type == SPOOR_TYPE_POINTER || value->type == SPOOR_TYPE_TEXT ||
		       value->type == SPOOR_TYPE_RESULT_ADDRESS;
	}
}

static void own(struct matching *matching, uint32_t at, uint32_t parameter, const struct passed_part *part)
{
	uint32_t bytes = (bits_of(&matching->values[at]) + 7) / 8;

	matching->owners[at] = (struct value_owner){
		.parameter = (uint8_t)parameter,
		.offset = (uint16_t)part->offset,
		.size = part->class == PASSED_ADDRESS ? 0 : (uint16_t)(bytes < part->size ? bytes : part->size),
	};
}

/* Some versions of clang pass an integer of two words as two arguments. */
static void split_wide(const struct matching *matching, struct passing *passing, uint32_t argument)
{
	uint32_t at = find_value(matching, argument, 0);

	if (passing->part_count != 1 || passing->parts[0].class != PASSED_GENERAL || passing->parts[0].size != 16 ||
	    at == matching->count || bits_of(&matching->values[at]) != 64)
		return;
	passing->argument_count = passing->part_count = 2;
	passing->parts[0] = (struct passed_part){ 0, 0, PASSED_GENERAL, 0, 8 };
	passing->parts[1] = (struct passed_part){ 1, 0, PASSED_GENERAL, 8, 8 };
}

/* Whether the value is an address of an object, of which the capture has the contents or the text. */
static bool is_of_object(const struct spoor_capture_value *value)
{
	return value->storage == SPOOR_VALUE_OBJECT || (value->storage > SPOOR_VALUE_TEXT_LAYOUT + SPOOR_LAYOUT_C &&
							value->storage < SPOOR_VALUE_TEXT_LAYOUT + SPOOR_LAYOUT_LENGTH_NEXT);
}

/* Compilers pass the address of an object whose contents they describe. GCC's debug information does not say so. A copy
 * on the stack is captured as bytes. */
static void take_object(const struct spoor_capture_value *value, const struct value_type *type, struct passing *passing)
{
	enum passed_class class = value->type == SPOOR_TYPE_BYTES ? PASSED_MEMORY : PASSED_ADDRESS;

	if (!passing->is_structure || (class == PASSED_ADDRESS && (!is_of_object(value) || type->kind == TYPE_COMPLEX)))
		return;
	*passing = (struct passing){ true, true, true, 1, 1, { { 0, 0, class, 0, (uint32_t)type->size } } };
}

/* Assigns the values of a parameter. Returns whether all of them agree with it. */
static bool take_parameter(struct matching *matching, uint32_t parameter, const struct passing *passing, uint32_t argument)
{
	for (uint32_t i = 0; i < passing->part_count; i++) {
		const struct passed_part *part = &passing->parts[i];
		uint32_t at = find_value(matching, argument + part->argument, part->part);

		/* GCC's plugin describes a structure in one register as that register, or as a structure of one part. */
		if (at == matching->count && passing->part_count == 1)
			at = find_value(matching, argument + part->argument, !part->part);
		if (at == matching->count)
			continue;
		if (!agrees(&matching->values[at], passing, part))
			return false;
		own(matching, at, parameter, part);
	}
	return true;
}

static void forget(struct matching *matching, uint32_t parameter)
{
	for (uint32_t i = 0; i < matching->count; i++)
		if (matching->owners[i].parameter >= parameter && matching->owners[i].parameter < VALUE_OWNER_RESULT)
			matching->owners[i].parameter = VALUE_NO_OWNER;
}

static bool is_result_in_memory(const struct function_types *function)
{
	struct passing passing;

	if (!function->result)
		return false;
	passing_of_result(function, function->result, &passing);
	return passing.part_count && passing.parts[0].class == PASSED_ADDRESS;
}

/* In the order of the source. @argument: of the first parameter. Returns whether all captured values agree. */
static bool take_in_order(struct matching *matching, uint32_t argument)
{
	const struct function_types *function = matching->function;
	struct passing_registers used = { 0, 0 };
	struct passing passing;
	uint32_t at;

	/* On AArch64 the address has a register of its own. */
	used.general = is_result_in_memory(function) && (function->machine == TYPE_MACHINE_X86_64 || argument > 1);
	for (uint32_t i = 0; i < function->count && i < VALUE_OWNER_RESULT; i++) {
		passing_of_parameter(function, function->parameters[i].type, &used, &passing);
		split_wide(matching, &passing, argument);
		at = find_value(matching, argument, 0);
		if (at < matching->count)
			take_object(&matching->values[at], function->parameters[i].type, &passing);
		if (!passing.is_known || !take_parameter(matching, i, &passing, argument)) {
			forget(matching, i);
			return false;
		}
		argument += passing.argument_count;
	}
	return true;
}

/* Returns DWARF's number of the register that a value was in; PARAMETER_PLACE_UNKNOWN if it was in none. */
static int register_of(const struct function_types *function, const struct spoor_capture_value *value)
{
	static const int generals[] = { 5, 4, 1, 2, 8, 9 };

	if (value->place & SPOOR_PLACE_STACK || value->place >= SPOOR_PLACE_X87)
		return PARAMETER_PLACE_UNKNOWN;
	if (function->machine == TYPE_MACHINE_AARCH64)
		return value->place < SPOOR_PLACE_VECTORS ? value->place : 64 + (value->place - (int)SPOOR_PLACE_VECTORS) / 2;
	if (value->place >= SPOOR_PLACE_VECTORS)
		return 17 + (value->place - (int)SPOOR_PLACE_VECTORS) / 2;
	return value->place < 6 ? generals[value->place] : PARAMETER_PLACE_UNKNOWN;
}

/* Returns the parameter with this place, or VALUE_NO_OWNER. */
static uint32_t parameter_at(const struct function_types *function, int place)
{
	for (uint32_t i = 0; place >= 0 && i < function->count && i < VALUE_OWNER_RESULT; i++)
		if (function->parameters[i].place == place)
			return i;
	return VALUE_NO_OWNER;
}

/* Returns whether debug information has another parameter at the place of a value, or this one elsewhere. */
static bool is_contradicted(const struct matching *matching)
{
	for (uint32_t i = 0; i < matching->count; i++) {
		int place = register_of(matching->function, &matching->values[i]);
		uint32_t owner = matching->owners[i].parameter, other = parameter_at(matching->function, place);

		if (owner >= VALUE_OWNER_RESULT)
			continue;
		if (other != VALUE_NO_OWNER && other != owner)
			return true;
		/* The first part of a parameter has the place that debug information names first. */
		if (!matching->owners[i].offset && place >= 0 && matching->function->parameters[owner].place >= 0 && other != owner)
			return true;
	}
	return false;
}

static bool owns_any(const struct matching *matching, uint32_t parameter)
{
	for (uint32_t i = 0; i < matching->count; i++)
		if (matching->owners[i].parameter == parameter)
			return true;
	return false;
}

/* Gives values without an owner to the parameters that are at their places. */
static void take_by_place(struct matching *matching)
{
	for (uint32_t i = 0; i < matching->count; i++) {
		uint32_t owner = parameter_at(matching->function, register_of(matching->function, &matching->values[i]));
		struct passing_registers used = { 0, 0 };
		struct passing passing;

		if (owner == VALUE_NO_OWNER || !matching->values[i].argument ||
		    matching->owners[i].parameter != VALUE_NO_OWNER || owns_any(matching, owner))
			continue;
		passing_of_parameter(matching->function, matching->function->parameters[owner].type, &used, &passing);
		take_object(&matching->values[i], matching->function->parameters[owner].type, &passing);
		if (passing.is_known && passing.part_count == 1 && agrees(&matching->values[i], &passing, &passing.parts[0]))
			own(matching, i, owner, &passing.parts[0]);
	}
}

/* Returns whether the stack has as many values as parameters are in memory, so that none of these was removed. */
static bool has_whole_stack(const struct matching *matching)
{
	uint32_t values = 0, parameters = 0;

	for (uint32_t i = 0; i < matching->count; i++)
		values += (matching->values[i].place & SPOOR_PLACE_STACK) && matching->values[i].argument;
	for (uint32_t i = 0; i < matching->function->count; i++)
		parameters += matching->function->parameters[i].place == PARAMETER_PLACE_FRAME;
	return values == parameters;
}

/* Returns whether debug information has the parameter at the place of its value. */
static bool is_confirmed(const struct matching *matching, uint32_t at, bool whole_stack)
{
	uint32_t owner = matching->owners[at].parameter;

	if (matching->values[at].place & SPOOR_PLACE_STACK)
		return whole_stack && matching->function->parameters[owner].place == PARAMETER_PLACE_FRAME;
	return parameter_at(matching->function, register_of(matching->function, &matching->values[at])) == owner;
}

/* Forgets the parameters after the last one whose place confirms the order. GCC may put another value in the place of a
 * parameter, so each needs its own place. */
static void keep_confirmed(struct matching *matching)
{
	bool whole_stack = has_whole_stack(matching), is_kept[VALUE_OWNER_RESULT] = { false };
	uint32_t last = 0;

	for (uint32_t i = 0; i < matching->count; i++) {
		uint32_t owner = matching->owners[i].parameter;

		if (owner >= VALUE_OWNER_RESULT || !is_confirmed(matching, i, whole_stack))
			continue;
		is_kept[owner] = true;
		last = owner >= last ? owner + 1 : last;
	}
	forget(matching, last);
	for (uint32_t i = 0; i < matching->count && matching->function->is_gcc; i++)
		if (matching->owners[i].parameter < last && !is_kept[matching->owners[i].parameter])
			matching->owners[i].parameter = VALUE_NO_OWNER;
}

static void take_result(struct matching *matching)
{
	struct passing passing;
	uint32_t first = find_value(matching, 0, 0);

	if (!matching->function->result)
		return;
	passing_of_result(matching->function, matching->function->result, &passing);
	if (first < matching->count)
		take_object(&matching->values[first], matching->function->result, &passing);
	if (!passing.is_known)
		return;
	for (uint32_t i = 0; i < passing.part_count; i++) {
		uint32_t at = find_value(matching, 0, passing.parts[i].part);

		if (at == matching->count || !agrees(&matching->values[at], &passing, &passing.parts[i])) {
			for (uint32_t k = 0; k < matching->count; k++)
				if (matching->owners[k].parameter == VALUE_OWNER_RESULT)
					matching->owners[k].parameter = VALUE_NO_OWNER;
			return;
		}
		own(matching, at, VALUE_OWNER_RESULT, &passing.parts[i]);
	}
}

void value_owners_find(const struct function_types *function, const struct spoor_capture_value *values, uint32_t count,
		       struct value_owner owners[SPOOR_CAPTURE_VALUES_MAX])
{
	struct matching matching = { function, values, count, owners };

	for (uint32_t i = 0; i < count; i++)
		owners[i] = (struct value_owner){ .parameter = VALUE_NO_OWNER };
	/* The optimiser of LLVM may turn the address of the result into the first argument of a local function. */
	if (!function->differs && !take_in_order(&matching, 1) && function->may_differ && is_result_in_memory(function)) {
		forget(&matching, 0);
		take_in_order(&matching, 2);
	}
	if (is_contradicted(&matching))
		forget(&matching, 0);
	else if (function->may_differ)
		keep_confirmed(&matching);
	take_by_place(&matching);
	take_result(&matching);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < count; k++)
			owners[i].parts += owners[k].parameter == owners[i].parameter;
}
