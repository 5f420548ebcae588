/* SPDX-License-Identifier: MIT */
/* call_rules.h - decides which calls of declared functions lead through call slots, and why others do not. */
#ifndef SPOOR_CALL_RULES_H
#define SPOOR_CALL_RULES_H

#include <llvm-c/Core.h>

#include <stdbool.h>

/* Returns the patterns with each "default" replaced by the shipped list (called_libraries.def); null without memory. The
 * caller frees the text. */
char *call_rules_patterns(const char *patterns);

/* Sets @chosen to whether the patterns choose calls of @callee, which has no body. Returns 0, or -ENOMEM. */
int call_rules_choose(const char *patterns, LLVMValueRef callee, bool *chosen);

/* Explains why a call of a chosen function stays as it is; null if it can lead through a slot. */
const char *call_rules_reason(LLVMValueRef call, LLVMValueRef callee);

#endif
