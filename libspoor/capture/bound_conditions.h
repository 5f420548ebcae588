/* SPDX-License-Identifier: MIT */
/* bound_conditions.h - tells the drainer where captures have the values that the trigger's condition names. */
#ifndef SPOOR_BOUND_CONDITIONS_H
#define SPOOR_BOUND_CONDITIONS_H

#include "capture/plans.h"

/* Adds the values of a new plan, of the record before the entry or before the exit. Under the registry's lock. */
void spoor_condition_bind(struct spoor_pool *pool, const struct spoor_plan *plan, uint32_t number, bool is_result);

#endif
