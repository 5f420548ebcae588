/* SPDX-License-Identifier: MIT */
/*
 * call_rules.c - decides which calls of declared functions lead through call slots.
 *
 * Between the caller and the function a wrapper of the same signature may run, which is compiled like any function. So a
 * call stays as it is if its effect needs the caller's own frame, or if a copy of its arguments would not be the same.
 */
#define _GNU_SOURCE
#include "pass/calls/call_rules.h"

#include "pass/attributes.h"
#include "pass/description/description.h"
#include "pass/choice/keep_apart.h"
#include "pass/llvm_more.h"
#include "text/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONVENTION_C 0	/* from llvm/IR/CallingConv.h */
#define DEFAULT_WORD "default"

static const char shipped[] =
#define CALLED(globs) "," globs
#include "pass/calls/called_libraries.def"
#undef CALLED
	;

/* Calls that compilers and tools insert. */
static const char of_tools[] = "spoor_*,_spoor_*,__asan_*,__tsan_*,__msan_*,__ubsan_*,__hwasan_*,__lsan_*,__sanitizer_*,"
			       "__llvm_profile_*,__xray_*,__cfi_*";

/* Functions whose calls are recorded in no program. */
static const char unwrapped[] = "__cxa_*"
#define UNWRAPPED(glob) "," glob
#include "text/unwrapped_calls.def"
#undef UNWRAPPED
	;

char *call_rules_patterns(const char *patterns)
{
	const char *rest = patterns, *glob, *end;
	size_t size = 1;
	bool excludes;
	char *list, *at;

	while (spoor_patterns_next(&rest, &glob, &end, &excludes))
		size += sizeof shipped + (size_t)(end - glob) + 2;
	list = at = malloc(size);
	rest = patterns;
	while (list && spoor_patterns_next(&rest, &glob, &end, &excludes)) {
		bool is_default = !excludes && (size_t)(end - glob) == strlen(DEFAULT_WORD) &&
				  memcmp(glob, DEFAULT_WORD, (size_t)(end - glob)) == 0;

		if (is_default)
			at = stpcpy(at, shipped + (at == list));
		else
			at += sprintf(at, "%s%s%.*s", at == list ? "" : ",", excludes ? "-" : "", (int)(end - glob), glob);
	}
	if (list)
		*at = '\0';
	return list;
}

int call_rules_choose(const char *patterns, LLVMValueRef callee, bool *chosen)
{
	struct description description;
	size_t length;
	const char *name = LLVMGetValueName2(callee, &length);
	int result;

	*chosen = false;
	if (!*name || LLVMGetIntrinsicID(callee) || spoor_patterns_choose(of_tools, &name, 1))
		return 0;
	result = description_make(&description, callee);
	*chosen = result >= 0 && keep_apart_chooses(patterns, &description);
	description_free(&description);
	return result;
}

static bool call_has(LLVMValueRef call, LLVMAttributeIndex index, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	return kind && LLVMGetCallSiteEnumAttribute(call, index, kind);
}

static bool is_so(LLVMValueRef call, LLVMValueRef callee, const char *name)
{
	return call_has(call, LLVMAttributeFunctionIndex, name) || attribute_own_is_set(callee, name);
}

/* Tells if an argument travels in a way that a copy of the call cannot repeat. */
static bool has_odd_argument(LLVMValueRef call)
{
	static const char *const odd[] = {"inalloca", "preallocated", "nest", "swifterror", "swiftself", "swiftasync"};

	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, i)));

		if (kind == LLVMMetadataTypeKind || kind == LLVMTokenTypeKind)
			return true;
		for (size_t j = 0; j < sizeof odd / sizeof *odd; j++)
			if (call_has(call, i + 1, odd[j]))
				return true;
	}
	return false;
}

const char *call_rules_reason(LLVMValueRef call, LLVMValueRef callee)
{
	size_t length;
	const char *name = LLVMGetValueName2(callee, &length);

	if (spoor_patterns_choose(unwrapped, &name, 1))
		return "the call stays direct: the function uses its caller's frame, or belongs to the compiler";
	if (is_so(call, callee, "returns_twice"))
		return "the call stays direct: the function returns twice";
	if (is_so(call, callee, "noreturn"))
		return "the call stays direct: the function does not return";
	if (spoor_call_is_must_tail(call))
		return "the call stays direct: it must be a tail call";
	if (LLVMGetInstructionCallConv(call) != CONVENTION_C)
		return "the call stays direct: its calling convention is not that of C";
	if (spoor_call_has_bundles(call))
		return "the call stays direct: it has operand bundles";
	if (has_odd_argument(call))
		return "the call stays direct: an argument cannot be passed on";
	if (spoor_call_may_be_expanded(call))
		return "the call stays direct: the compiler may replace it by instructions";
	return NULL;
}
