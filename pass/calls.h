/* SPDX-License-Identifier: MIT */
/*
 * calls.h - call mode: code that calls the runtime where a function begins and ends.
 *
 * For where text may not be patched, and for Spoor's own runtime.
 */
#ifndef SPOOR_PASS_CALLS_H
#define SPOOR_PASS_CALLS_H

#include "pass/function_table.h"
#include "pass/options.h"

#include <stdint.h>

/* Whether @function has been given calls. */
bool calls_have(LLVMValueRef function);

/*
 * calls_add - has an eligible function say when it begins and when it ends.
 * @table: null where the target has none
 *
 * It ends where it returns, in front of a call that takes its place, and where an
 * exception leaves it. What it calls and does not come back from has no end.
 *
 * Return: 0, -ENOMEM, or -ERANGE for a position that is too large.
 */
int calls_add(struct function_table *table, LLVMValueRef function, uint32_t unit, uint32_t position);

/* Has main, where the unit defines it, begin and end the runtime as the options say. */
void calls_frame_main(LLVMModuleRef module, const struct spoor_options *options);

#endif
