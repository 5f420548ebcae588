/* SPDX-License-Identifier: MIT */
/* injected.h - adds single calls of the runtime, for calls.c. */
#ifndef SPOOR_PASS_INJECTED_H
#define SPOOR_PASS_INJECTED_H

#include <llvm-c/Core.h>

#include <stdint.h>

/* Adds a call of "void name(void)" before an instruction. */
void injected_call(LLVMValueRef before, const char *name);

/* Adds a call of "void name(uint64_t)" before an instruction. */
void injected_log(LLVMValueRef before, const char *name, uint64_t id);

#endif
