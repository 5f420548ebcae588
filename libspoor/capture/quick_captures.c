/* SPDX-License-Identifier: MIT */
/*
 * quick_captures.c - finds captures of which the arguments or the result are numbers in general registers.
 *
 * A record of one number of 32 bits takes one word. A record of several numbers has fixed places for all bits if each
 * number has 32 or 64 bits and none is shortened: then the trampolines store one half of a register after the other.
 */
#include "capture/quick_captures.h"

#include "capture/argument_places.h"

#define REGISTERS 6u	/* of arguments: those that the trampolines push */

static bool is_int(const struct spoor_capture_step *step)
{
	return step->storage == SPOOR_VALUE_BITS && step->size == 32;
}

static bool is_long(const struct spoor_capture_step *step)
{
	return step->storage == SPOOR_VALUE_INTEGER;
}

/* Returns the number of halves of a value; 0: it is not made of halves. */
static uint32_t halves_of(uint32_t place, uint32_t storage, uint32_t size)
{
	if (place >= REGISTERS)
		return 0;
	if (storage == SPOOR_VALUE_INTEGER || storage == SPOOR_VALUE_ADDRESS)
		return 2;
	return storage != SPOOR_VALUE_BITS ? 0 : size == 32 ? 1 : size == 64 ? 2 : 0;
}

void spoor_quick_choose(struct spoor_plan *plan)
{
	uint32_t arguments = 0, halves = 0;

	for (uint32_t i = 0; i < plan->value_count; i++) {
		const struct spoor_capture_value *value = &plan->values[i];
		uint32_t of_value = value->argument ? halves_of(value->place, value->storage, value->size) : 0;

		if (value->argument && !of_value)
			return;
		arguments += value->argument != 0;
		halves += of_value;
	}
	/* A record of one short number is smaller without halves. A record of one address is not. */
	if (halves > SPOOR_HALVES_MAX || plan->value_count > SPOOR_HALVES_STEPS_MAX ||
	    (arguments == 1 && plan->values[0].storage != SPOOR_VALUE_ADDRESS))
		return;
	for (uint32_t i = 0; i < arguments; i++) {
		struct spoor_capture_value *value = &plan->values[i];

		value->size = value->storage == SPOOR_VALUE_BITS ? value->size : 64;
		value->storage = SPOOR_VALUE_BITS;
	}
}

static void fill_halves(struct spoor_capture *capture)
{
	uint32_t count = 0, words;

	if (capture->arguments + capture->results > SPOOR_HALVES_STEPS_MAX)
		return;
	for (uint32_t i = 0; i < capture->arguments; i++) {
		const struct spoor_capture_step *step = &capture->steps[i];
		uint32_t halves = step->storage == SPOOR_VALUE_BITS ? halves_of(step->place, step->storage, step->size) : 0;

		if (!halves || count + halves > SPOOR_HALVES_MAX)
			return;
		for (uint32_t half = 0; half < halves; half++)
			capture->halves[count++] = (uint8_t)(8 * step->place + 4 * half);
	}
	words = (SPOOR_VALUES_HEAD_BITS + 32 * count + SPOOR_VALUES_WORD_BITS - 1) / SPOOR_VALUES_WORD_BITS;
	capture->half_count = (uint8_t)count;
	capture->record_bytes = (uint8_t)(8 * (2 + words));
	capture->flags |= SPOOR_CAPTURE_ARGUMENT_HALVES;
}

void spoor_quick_fill(struct spoor_capture *capture)
{
	const struct spoor_capture_step *first = &capture->steps[0];

	capture->place = (uint8_t)first->place;
	if (capture->arguments == 1 && first->place < SPOOR_PLACE_VECTORS && is_int(first))
		capture->flags |= SPOOR_CAPTURE_ARGUMENT_INT;
	else if (capture->arguments == 1 && first->place < SPOOR_PLACE_VECTORS && is_long(first))
		capture->flags |= SPOOR_CAPTURE_ARGUMENT_LONG;
	else if (capture->arguments)
		fill_halves(capture);
}

uint32_t spoor_quick_action(const struct spoor_capture *capture)
{
	const struct spoor_capture_step *result = &capture->steps[capture->arguments];
	uint32_t action = capture->arguments ? SPOOR_ACTION_ARGUMENTS : 0;

	if (!capture->results)
		return action;
	action |= SPOOR_ACTION_RESULT;
	if (spoor_place_is_noted(result->place))
		action |= SPOOR_ACTION_ARGUMENTS;
	if (capture->results == 1 && result->place == 0)
		action |= is_int(result) ? SPOOR_ACTION_RESULT_INT : is_long(result) ? SPOOR_ACTION_RESULT_LONG : 0;
	return action;
}
