/* SPDX-License-Identifier: MIT */
/*
 * calls.h - call mode: adds code that calls the runtime at the begin and the end of a function.
 *
 * For programs whose text must not be patched, and for Spoor's own runtime.
 */
#ifndef SPOOR_PASS_CALLS_H
#define SPOOR_PASS_CALLS_H

#include "pass/sleds/function_table.h"
#include "pass/options.h"

#include <stdint.h>

/* Tells if @function already has injected calls. */
bool calls_have(LLVMValueRef function);

/*
 * calls_add - adds calls to an eligible function at its begin and its ends.
 * @table: null if the target has no function table
 *
 * A function ends at each return, before a tail call, and when an exception leaves it.
 * A call that never returns has no end.
 *
 * Returns 0, -ENOMEM, or -ERANGE for a position that is too large.
 */
int calls_add(struct function_table *table, LLVMValueRef function, uint32_t unit, uint32_t position);

/* If the unit defines main, adds calls to it that begin and end the runtime, as the options say. */
void calls_frame_main(LLVMModuleRef module, const struct spoor_options *options);

#endif
