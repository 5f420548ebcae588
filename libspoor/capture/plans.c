/* SPDX-License-Identifier: MIT */
/* plans.c - makes the captures of this process from descriptions of functions and the user's choices. */
#include "capture/plans.h"

#include <string.h>

#include "base/large.h"
#include "base/permanent.h"
#include "capture/argument_places.h"
#include "capture/bound_conditions.h"
#include "capture/quick_captures.h"
#include "capture/text_permission.h"
#include "event/result_addresses.h"
#include "format/value_layouts.h"

/* The most bits of all values that have a fixed size: text takes the remaining bits. */
#define FIXED_BITS_MAX (40 * SPOOR_VALUES_WORD_BITS)
#define TEXT_BYTES 64u
#define HASHES 1024u

static struct spoor_plan *plans[SPOOR_CAPTURES_MAX] SPOOR_LARGE;
static uint16_t by_hash[HASHES];
static uint32_t plan_count = 1;

const char *spoor_plan_fault_text(enum spoor_plan_fault fault)
{
	static const char *const texts[SPOOR_PLAN_FAULTS] = {
		[SPOOR_PLAN_NO_DESCRIPTION] = "no description of the arguments: compile with this version's spoor-cc",
		[SPOOR_PLAN_NO_PROTOTYPE] = "spoor does not know the arguments: compile the calling module with this version's "
					    "spoor-cc -fspoor-calls",
		[SPOOR_PLAN_CONVENTION] = "custom calling convention",
		[SPOOR_PLAN_LINKER] = "link-time optimisation may have changed the arguments: compile without -flto, or "
				      "export the function",
		[SPOOR_PLAN_UNKNOWN_PLACE] = "a value has a type whose place is unknown",
		[SPOOR_PLAN_NO_POINTER] = "format 's' needs a pointer",
		[SPOOR_PLAN_TOO_LARGE] = "too many or too large values",
		[SPOOR_PLAN_NO_RESULT] = "no result, or one that the optimiser stores through an argument",
		[SPOOR_PLAN_UNTIMED] = "the result is unknown, because the calls are recorded without duration",
		[SPOOR_PLAN_TOO_MANY] = "too many different signatures",
	};

	return texts[fault];
}

static uint32_t fixed_bits(const struct spoor_capture_value *value)
{
	switch (value->storage) {
	case SPOOR_VALUE_BITS:
		return value->size;
	case SPOOR_VALUE_BYTES:
		return 8u * value->size;
	case SPOOR_VALUE_NOTHING:
		return 0;
	case SPOOR_VALUE_INTEGER:
	case SPOOR_VALUE_ADDRESS:
		return 65;
	case SPOOR_VALUE_OBJECT:
		return 65 + 66;
	default:	/* text */
		return 66;
	}
}

/* Gets the user's item for an argument. Returns false if the argument is not wanted. */
static bool find_item(const struct spoor_capture_choice *choice, uint32_t argument, struct spoor_capture_item *item)
{
	const char *rest = choice->items;

	*item = (struct spoor_capture_item){ .is_wanted = true };
	if (!choice->items)
		return true;
	for (uint32_t i = 0; i <= (argument ? argument - 1 : 0); i++)
		if (!spoor_capture_item_next(&rest, choice->items_end, item))
			return false;
	return item->is_wanted;
}

/* Stores the text to which the value leads, and not the value. */
static void choose_text(struct spoor_capture_value *value, uint8_t layout)
{
	value->type = SPOOR_TYPE_TEXT;
	value->storage = layout == SPOOR_LAYOUT_C ? SPOOR_VALUE_TEXT :
			 layout == SPOOR_LAYOUT_LENGTH_BEFORE ? SPOOR_VALUE_TEXT_LAYOUT + SPOOR_LAYOUT_LENGTH_NEXT :
								SPOOR_VALUE_TEXT_LAYOUT + layout;
	value->size = TEXT_BYTES;
	value->part = 0;
}

/* Returns the number of bytes to store of the object whose address the part is; 0: it is no such address. */
static uint32_t object_bytes(const struct spoor_part *part)
{
	if (part->value.type == SPOOR_TYPE_RESULT_ADDRESS)
		return part->bytes < SPOOR_OBJECT_MOST ? part->bytes : SPOOR_OBJECT_MOST;
	return part->layout > SPOOR_LAYOUT_OBJECT && part->value.type == SPOOR_TYPE_POINTER ? part->layout - SPOOR_LAYOUT_OBJECT : 0;
}

/* Whether another part's text has this length. */
static bool is_length(const struct spoor_part *parts, uint32_t count, uint32_t at)
{
	return (at && parts[at - 1].layout == SPOOR_LAYOUT_LENGTH_NEXT) ||
	       (at + 1 < count && parts[at + 1].layout == SPOOR_LAYOUT_LENGTH_BEFORE);
}

/* Returns the part that has the length of a part's text; null: the text has its own. */
static const struct spoor_part *find_length(const struct spoor_part *parts, uint32_t count, uint32_t at)
{
	if (parts[at].layout == SPOOR_LAYOUT_LENGTH_NEXT && at + 1 < count)
		return &parts[at + 1];
	return parts[at].layout == SPOOR_LAYOUT_LENGTH_BEFORE && at ? &parts[at - 1] : NULL;
}

/* Makes the value text, or an object, by its type or by the user's wish. */
static void choose_format(struct spoor_capture_value *value, const struct spoor_part *part, bool has_length, char format,
			  enum spoor_plan_fault *fault)
{
	bool needs_length = part->layout >= SPOOR_LAYOUT_LENGTH_NEXT, is_text = part->layout && part->layout < SPOOR_LAYOUT_OBJECT;

	value->format = (uint8_t)format;
	if (is_text && (!format || format == 's') && (!needs_length || has_length)) {
		choose_text(value, part->layout);
	} else if (format == 's' && value->type == SPOOR_TYPE_POINTER) {
		choose_text(value, SPOOR_LAYOUT_C);
	} else if (format == 's') {
		*fault = SPOOR_PLAN_NO_POINTER;
		value->format = 0;
	} else if (!format && object_bytes(part)) {
		value->storage = SPOOR_VALUE_OBJECT;
		value->size = (uint8_t)object_bytes(part);
	}
}

/* Adds the wanted ones of @parts. Returns the number of bits that they take, or sets @fault. */
static void add_parts(struct spoor_plan *plan, const struct spoor_part *parts, uint32_t count,
		      const struct spoor_capture_choice *choice, uint32_t *bits, enum spoor_plan_fault *fault)
{
	for (uint32_t i = 0; i < count; i++) {
		struct spoor_capture_value value = parts[i].value;
		const struct spoor_part *length = find_length(parts, count, i);
		struct spoor_capture_item item;

		if (!find_item(choice, value.argument, &item) || (is_length(parts, count, i) && !item.format))
			continue;
		choose_format(&value, &parts[i], length, item.format, fault);
		if (plan->value_count + 2u > SPOOR_CAPTURE_VALUES_MAX || *bits + fixed_bits(&value) > FIXED_BITS_MAX) {
			*fault = SPOOR_PLAN_TOO_LARGE;
			return;
		}
		*bits += fixed_bits(&value);
		plan->values[plan->value_count++] = value;
		if (value.storage == SPOOR_VALUE_TEXT_LAYOUT + SPOOR_LAYOUT_LENGTH_NEXT) {
			value.place = length->value.place;
			value.storage = SPOOR_VALUE_NOTHING;
			plan->values[plan->value_count++] = value;
		}
	}
}

static bool is_in_memory(const struct spoor_capture_value *value)
{
	return value->storage == SPOOR_VALUE_TEXT || value->storage == SPOOR_VALUE_OBJECT || value->storage >= SPOOR_VALUE_TEXT_LAYOUT;
}

/* Shortens the texts and objects of a record, from value @first on, so that every later value has room too.
 * @bits: of the record, with the fixed part of each text, which is larger than a text's length */
static void share_room(struct spoor_plan *plan, uint32_t first, uint32_t bits)
{
	uint32_t count = 0, most;

	for (uint32_t i = first; i < plan->value_count; i++)
		count += is_in_memory(&plan->values[i]);
	if (!count)
		return;
	most = (SPOOR_VALUES_WORDS_MAX * SPOOR_VALUES_WORD_BITS - bits) / (8 * count);
	for (uint32_t i = first; i < plan->value_count; i++)
		if (is_in_memory(&plan->values[i]) && plan->values[i].size > most)
			plan->values[i].size = (uint8_t)most;
}

static uint32_t hash_of(const struct spoor_plan *plan)
{
	uint64_t hash = plan->flags;

	for (uint32_t i = 0; i < plan->value_count; i++) {
		uint64_t bits;

		memcpy(&bits, &plan->values[i], sizeof(bits));
		hash = (hash ^ bits) * 0x9e3779b97f4a7c15;
	}
	return (uint32_t)(hash >> 32) % HASHES;
}

static bool are_same(const struct spoor_plan *one, const struct spoor_plan *other)
{
	size_t length = (size_t)(one->items_end - one->items);

	return one->value_count == other->value_count && one->flags == other->flags &&
	       length == (size_t)(other->items_end - other->items) && (!length || memcmp(one->items, other->items, length) == 0) &&
	       memcmp(one->values, other->values, one->value_count * sizeof(one->values[0])) == 0;
}

/* Returns the flags for the @count steps of the arguments, or of the result. */
static uint8_t flags_of(const struct spoor_capture_step *steps, uint32_t count, bool is_result)
{
	bool are_numbers = true;
	uint8_t flags = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t place = steps[i].place;

		are_numbers &= steps[i].storage >= SPOOR_VALUE_BITS && steps[i].storage <= SPOOR_VALUE_ADDRESS;
		/* On AArch64 these are the place and the flag of a result in memory. */
		if (place == SPOOR_PLACE_X87)
			flags |= SPOOR_CAPTURE_READS_X87;
		else if (place >= SPOOR_PLACE_VECTORS && !(place & SPOOR_PLACE_STACK) && steps[i].storage != SPOOR_STEP_CPU_TIME)
			flags |= SPOOR_CAPTURE_READS_VECTORS;
	}
	if (are_numbers)
		flags |= is_result ? SPOOR_CAPTURE_NUMBERS_RESULT : SPOOR_CAPTURE_NUMBERS_ARGUMENTS;
	return flags;
}

/* Writes what the event path reads. */
static void fill_capture(struct spoor_capture *capture, const struct spoor_plan *plan)
{
	for (uint32_t i = 0; i < plan->value_count; i++) {
		const struct spoor_capture_value *value = &plan->values[i];

		*(value->argument ? &capture->arguments : &capture->results) += 1;
		if (value->place == SPOOR_PLACE_CPU_TIME)
			capture->steps[i].storage = SPOOR_STEP_CPU_TIME;
		else
			capture->steps[i] = (struct spoor_capture_step){ value->place, value->storage, value->size };
	}
	capture->flags = flags_of(capture->steps, capture->arguments, false) |
			 flags_of(capture->steps + capture->arguments, capture->results, true);
	spoor_quick_fill(capture);
}

/* Adds how the records of a plan divide into fields. @is_result: of the record before an exit */
static void add_layout(struct spoor_pool *pool, const struct spoor_plan *plan, uint32_t number, bool is_result)
{
	struct spoor_value_layout layout = { .head = (uint16_t)(number | (uint32_t)is_result << SPOOR_CAPTURE_NUMBER_BITS) };

	for (uint32_t i = 0; i < plan->value_count; i++)
		if (is_result == !plan->values[i].argument && !spoor_value_layout_put(&layout, &plan->values[i]))
			return;
	if (layout.count)
		spoor_value_layouts_add(spoor_pool_layouts(pool), &layout);
	spoor_condition_bind(pool, plan, number, is_result);
}

static void add_layouts(struct spoor_pool *pool, uint32_t number)
{
	add_layout(pool, plans[number], number, false);
	add_layout(pool, plans[number], number, true);
}

void spoor_plans_describe(struct spoor_pool *pool)
{
	for (uint32_t number = 1; number < plan_count; number++)
		add_layouts(pool, number);
}

static bool reads_memory(const struct spoor_plan *plan)
{
	for (uint32_t i = 0; i < plan->value_count; i++)
		if (is_in_memory(&plan->values[i]))
			return true;
	return false;
}

/* Returns the number of the plan; 0 without room. */
static uint32_t number_of(const struct spoor_plan *plan)
{
	uint16_t *first = &by_hash[hash_of(plan)];
	struct spoor_plan *copy;

	for (uint32_t at = *first; at; at = plans[at]->next)
		if (are_same(plans[at], plan))
			return at;
	copy = plan_count < SPOOR_CAPTURES_MAX ? spoor_permanent_alloc(sizeof(*copy)) : NULL;
	if (!copy)
		return 0;
	*copy = *plan;
	/* The configuration may change later. */
	if (plan->items) {
		char *items = spoor_permanent_alloc((size_t)(plan->items_end - plan->items) + 1);

		if (!items)
			return 0;
		memcpy(items, plan->items, (size_t)(plan->items_end - plan->items));
		copy->items = items;
		copy->items_end = items + (plan->items_end - plan->items);
	}
	copy->next = *first;
	if (reads_memory(plan))
		spoor_text_permission_test();
	for (uint32_t i = 0; i < plan->value_count; i++)
		if (!plan->values[i].argument && spoor_place_is_noted(plan->values[i].place))
			spoor_result_addresses_prepare();
	fill_capture(&spoor_captures[plan_count], plan);
	plans[plan_count] = copy;
	*first = (uint16_t)plan_count;
	if (spoor_pool)
		add_layouts(spoor_pool, plan_count);
	return plan_count++;
}

/* Returns why the description may be wrong, or SPOOR_PLAN_GOOD. */
static enum spoor_plan_fault check_flags(uint32_t flags, bool is_exported)
{
	if (flags & SPOOR_SIGNATURE_CONVENTION)
		return SPOOR_PLAN_CONVENTION;
	return flags & SPOOR_SIGNATURE_MAY_CHANGE && !is_exported ? SPOOR_PLAN_LINKER : SPOOR_PLAN_GOOD;
}

/* Adds the processor time, at the entry or the exit. */
static void add_cpu_time(struct spoor_plan *plan, uint32_t argument, uint32_t *bits, enum spoor_plan_fault *fault)
{
	if (plan->value_count == SPOOR_CAPTURE_VALUES_MAX || *bits + 64 > FIXED_BITS_MAX) {
		*fault = SPOOR_PLAN_TOO_LARGE;
		return;
	}
	*bits += 64;
	plan->flags |= SPOOR_CAPTURE_CPU_TIME;
	plan->values[plan->value_count++] = (struct spoor_capture_value){
		.place = SPOOR_PLACE_CPU_TIME, .storage = SPOOR_VALUE_BITS, .size = 64, .type = SPOOR_TYPE_UNSIGNED,
		.argument = (uint8_t)argument,
	};
}

uint32_t spoor_plan_make(const uint8_t *signature, size_t bytes, bool is_exported,
			 const struct spoor_capture_choice *arguments, const struct spoor_capture_choice *result,
			 bool cpu_time, enum spoor_plan_fault *fault)
{
	static struct spoor_places places;	/* large; under the lock */
	struct spoor_plan plan = { 0 };
	uint32_t number, first, bits = SPOOR_VALUES_HEAD_BITS;

	*fault = SPOOR_PLAN_GOOD;
	if (arguments || result)
		*fault = signature ? check_flags(signature[0], is_exported) : SPOOR_PLAN_NO_DESCRIPTION;
	if (!*fault && (arguments || result) && spoor_places_find(signature, bytes, &places) < 0)
		*fault = SPOOR_PLAN_UNKNOWN_PLACE;
	/* The processor time needs no description of the function. */
	if (*fault)
		arguments = result = NULL;
	plan.items = arguments ? arguments->items : NULL;
	plan.items_end = arguments ? arguments->items_end : NULL;
	plan.flags = (arguments || result) && places.is_variadic ? SPOOR_CAPTURE_VARIADIC : 0;
	if (arguments) {
		plan.flags |= SPOOR_CAPTURE_ARGUMENTS;
		add_parts(&plan, places.arguments, places.argument_count, arguments, &bits, fault);
		if (places.arguments_cut)
			*fault = SPOOR_PLAN_UNKNOWN_PLACE;
	}
	if (cpu_time)
		add_cpu_time(&plan, SPOOR_ARGUMENT_CPU_TIME, &bits, fault);
	share_room(&plan, 0, bits);
	bits = SPOOR_VALUES_HEAD_BITS;
	first = plan.value_count;
	if (result) {
		if (places.result_count)
			plan.flags |= SPOOR_CAPTURE_RESULT;
		else
			*fault = places.result_unknown ? SPOOR_PLAN_UNKNOWN_PLACE : SPOOR_PLAN_NO_RESULT;
		add_parts(&plan, places.results, places.result_count, result, &bits, fault);
	}
	if (cpu_time)
		add_cpu_time(&plan, 0, &bits, fault);
	share_room(&plan, first, bits);
	if (!plan.value_count)
		return 0;
	spoor_quick_choose(&plan);
	number = number_of(&plan);
	if (!number) {
		*fault = SPOOR_PLAN_TOO_MANY;
		return 0;
	}
	return number | spoor_quick_action(&spoor_captures[number]);
}

const struct spoor_plan *spoor_plan_at(uint32_t number)
{
	return number < SPOOR_CAPTURES_MAX ? plans[number] : NULL;
}
