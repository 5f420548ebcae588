/* SPDX-License-Identifier: MIT */
/*
 * plans.h - the captures of this process: which values of a function are stored, and how.
 *
 * Functions with the same signature and the same choice share a plan. Plans are never freed. All functions run under
 * the registry's lock.
 */
#ifndef SPOOR_PLANS_H
#define SPOOR_PLANS_H

#include "capture/argument_places.h"
#include "event/capture_path.h"
#include "text/capture_text.h"

struct spoor_plan {
	uint8_t value_count, flags;	/* enum spoor_capture_flags */
	struct spoor_capture_value values[SPOOR_CAPTURE_VALUES_MAX];	/* the result's follow the arguments' */
	const char *items, *items_end;	/* the names of the arguments in the user's choice; null: none */
	uint16_t next;			/* plan with the same hash; 0: none */
};

/* Why a function is not captured, or not completely. */
enum spoor_plan_fault {
	SPOOR_PLAN_GOOD,
	SPOOR_PLAN_NO_DESCRIPTION,
	SPOOR_PLAN_NO_PROTOTYPE,
	SPOOR_PLAN_CONVENTION,
	SPOOR_PLAN_LINKER,
	SPOOR_PLAN_UNKNOWN_PLACE,
	SPOOR_PLAN_NO_POINTER,
	SPOOR_PLAN_TOO_LARGE,
	SPOOR_PLAN_NO_RESULT,
	SPOOR_PLAN_UNTIMED,
	SPOOR_PLAN_TOO_MANY,
	SPOOR_PLAN_FAULTS,
};

/* Returns the reason as text. */
const char *spoor_plan_fault_text(enum spoor_plan_fault fault);

/*
 * spoor_plan_make - finds or makes the plan for a function.
 * @signature: null: the function is not described
 * @arguments, @result: the choices; null: not wanted
 * @cpu_time: the processor time is wanted, which needs no description
 * @fault: out: the reason if some wanted value is not captured
 *
 * Return: the action of the function (capture_path.h); 0: nothing can be captured.
 */
uint32_t spoor_plan_make(const uint8_t *signature, size_t bytes, bool is_exported,
			 const struct spoor_capture_choice *arguments, const struct spoor_capture_choice *result,
			 bool cpu_time, enum spoor_plan_fault *fault);

/* Returns the plan with this number, below SPOOR_CAPTURES_MAX, or null. */
const struct spoor_plan *spoor_plan_at(uint32_t number);

/* Describes the plans so far to the drainer of a new pool. Later plans are added when they are made. */
void spoor_plans_describe(struct spoor_pool *pool);

#endif
