/* SPDX-License-Identifier: MIT */
/* first_runs.h - order mode: adds code that reports a function's first execution. */
#ifndef SPOOR_PASS_FIRST_RUNS_H
#define SPOOR_PASS_FIRST_RUNS_H

#include <llvm-c/Core.h>

#include <stdbool.h>

/*
 * first_run_add - adds code to the begin of @function that tests the function's byte, and calls
 * spoor_dso_thunk_first (registration.h) while the byte is 0.
 */
void first_run_add(LLVMValueRef function);

/* Tells if an earlier run of the pass has added this code to @function. */
bool first_run_has(LLVMValueRef function);

#endif
