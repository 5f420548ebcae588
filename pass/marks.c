/* SPDX-License-Identifier: MIT */
/*
 * marks.c - finds the functions with the attribute no_instrument_function.
 *
 * clang keeps no trace of it in LLVM's code, but when it profiles (-pg), it
 * marks every function for a call of the profiler except for exactly those. The
 * marks have to be read before the optimiser inlines one function into another.
 */
#include "marks.h"

#include "attributes.h"

/* Set by -pg and by -pg -mfentry; the first also by -finstrument-functions-*. */
static const char mcount_mark[] = "instrument-function-entry-inlined";
static const char fentry_mark[] = "fentry-call";

static bool is_marked(LLVMValueRef function)
{
	return attribute_is_set(function, fentry_mark) ||
	       (attribute_is_set(function, mcount_mark) &&
		!attribute_is(function, mcount_mark, "__cyg_profile_func_enter") &&
		!attribute_is(function, mcount_mark, "__cyg_profile_func_enter_bare"));
}

void marks_read(LLVMModuleRef module, enum spoor_marks marks, bool obey)
{
	LLVMValueRef function;

	if (marks == SPOOR_MARKS_ABSENT)
		return;
	for (function = LLVMGetFirstFunction(module); function;
	     function = LLVMGetNextFunction(function)) {
		if (LLVMIsDeclaration(function))
			continue;
		if (is_marked(function)) {
			if (marks == SPOOR_MARKS_REMOVE)
				attribute_remove(function, fentry_mark);
		} else if (obey) {
			attribute_set(function, "function-instrument", "xray-never");
		}
	}
}
