/* SPDX-License-Identifier: MIT */
/*
 * marks.c - finds the functions with the attribute no_instrument_function.
 *
 * clang does not write this attribute to LLVM's code. But with profiling (-pg), clang
 * marks every function for a call of the profiler, except for those with the attribute.
 * The marks must be read before the optimiser inlines one function into another.
 */
#include "pass/choice/marks.h"

#include "pass/attributes.h"

#include <string.h>

/* Set by -pg and by -pg -mfentry; the first is also set by -finstrument-functions-*. */
static const char mcount_mark[] = "instrument-function-entry-inlined";
static const char fentry_mark[] = "fentry-call";

static bool is_marked(LLVMValueRef function)
{
	return attribute_is_set(function, fentry_mark) ||
	       (attribute_is_set(function, mcount_mark) &&
		!attribute_is(function, mcount_mark, "__cyg_profile_func_enter") &&
		!attribute_is(function, mcount_mark, "__cyg_profile_func_enter_bare"));
}

static bool ends_with(const char *text, size_t length, const char *end)
{
	return length >= strlen(end) && memcmp(text + length - strlen(end), end, strlen(end)) == 0;
}

/* Tells if clang compiles bitcode or IR: the unit's name is then the name of that file, and its source has another. */
static bool is_from_bitcode(LLVMModuleRef module)
{
	size_t length, source_length;
	const char *read = LLVMGetModuleIdentifier(module, &length);
	const char *source = LLVMGetSourceFileName(module, &source_length);

	return length != source_length || memcmp(read, source, length) != 0 ||
	       ends_with(read, length, ".bc") || ends_with(read, length, ".ll") || strcmp(read, "<stdin>") == 0;
}

static bool any_is_marked(LLVMModuleRef module)
{
	LLVMValueRef function;

	for (function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
		if (!LLVMIsDeclaration(function) && is_marked(function))
			return true;
	return false;
}

void marks_read(LLVMModuleRef module, enum spoor_marks marks, bool obey)
{
	LLVMValueRef function;

	if (marks == SPOOR_MARKS_ABSENT)
		return;
	/* With -pg, clang marks no functions of bitcode. Bitcode of -save-temps has the marks already. */
	if (is_from_bitcode(module) && !any_is_marked(module))
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
