/* SPDX-License-Identifier: MIT */
/*
 * prologue.h - adds bytes to the begin of a function.
 *
 * See "Prologue Data" in LLVM's language reference: the code generator emits the bytes where the
 * function begins, before the stack pointer moves. Inlined copies of a function do not have them.
 */
#ifndef SPOOR_PASS_PROLOGUE_H
#define SPOOR_PASS_PROLOGUE_H

#include <llvm-c/Core.h>

#include <stdbool.h>

/* If false, the target is AArch64: no other architecture has sleds and first runs. */
bool prologue_is_for_x86_64(LLVMModuleRef module);

LLVMValueRef prologue_bytes(LLVMContextRef context, const char *bytes, unsigned count);

/*
 * prologue_landing_pad - the instruction that must come first if branches are guarded: the processor
 * requires it in every function that is called through a pointer. If possible, the code generator then
 * emits no second one after our bytes.
 * @pad: set if the function needs a landing pad
 *
 * Returns the size of the landing pad in bytes, or 0.
 */
unsigned prologue_landing_pad(LLVMValueRef function, LLVMValueRef *pad);

/* @parts: emitted one after the other, without gaps */
void prologue_set(LLVMValueRef function, LLVMValueRef *parts, unsigned count);

#endif
