/* SPDX-License-Identifier: MIT */
/* first_runs.h - order mode: code that notices a function's first execution. */
#ifndef SPOOR_PASS_FIRST_RUNS_H
#define SPOOR_PASS_FIRST_RUNS_H

#include <llvm-c/Core.h>

#include <stdbool.h>

/*
 * first_run_add - begins @function with a look at a byte of its own, which calls
 * spoor_dso_thunk_first (registration.h) while that is 0.
 */
void first_run_add(LLVMValueRef function);

/* Whether an earlier run of the pass has done so. */
bool first_run_has(LLVMValueRef function);

#endif
