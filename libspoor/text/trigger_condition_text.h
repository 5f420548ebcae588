/* SPDX-License-Identifier: MIT */
/* trigger_condition_text.h - checks the condition of a trigger, which compares whole numbers only. */
#ifndef SPOOR_TRIGGER_CONDITION_TEXT_H
#define SPOOR_TRIGGER_CONDITION_TEXT_H

#include "text/condition_text.h"
#include "text/trigger_text.h"

/*
 * spoor_trigger_condition_check - parses a condition, and checks it against the limits of triggers (trigger_condition.h).
 *
 * Returns null, or the error, without a full stop.
 */
const char *spoor_trigger_condition_check(const char *text, struct spoor_condition *parsed);

#endif
