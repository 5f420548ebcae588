/* SPDX-License-Identifier: MIT */
/* sleds.h - gives a function its sleds, and its entry in the function table. */
#ifndef SPOOR_PASS_SLEDS_H
#define SPOOR_PASS_SLEDS_H

#include "pass/sleds/function_table.h"

/*
 * sleds_add - adds sleds to @function, which is eligible.
 * @position: in its unit
 *
 * Returns 0, -ENOMEM, or -ERANGE for a position that is too large.
 */
int sleds_add(struct function_table *table, LLVMValueRef function, uint32_t position);

/* Makes sure that @function gets no sleds, whatever the compiler's options are. */
void sleds_leave_out(LLVMValueRef function);

#endif
