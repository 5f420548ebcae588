/* SPDX-License-Identifier: MIT */
/* quick_captures.h - captures that the trampolines store without calling C (trampolines/numbers_*.h). */
#ifndef SPOOR_QUICK_CAPTURES_H
#define SPOOR_QUICK_CAPTURES_H

#include "capture/plans.h"

/* If the trampolines can store all arguments of the plan as halves, gives each number of 64 bits a fixed width. */
void spoor_quick_choose(struct spoor_plan *plan);

/* Sets what the trampolines read about the arguments of a capture, whose steps are complete. */
void spoor_quick_fill(struct spoor_capture *capture);

/* Returns the action of functions with this capture, without the number of the capture. */
uint32_t spoor_quick_action(const struct spoor_capture *capture);

#endif
