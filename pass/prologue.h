/* SPDX-License-Identifier: MIT */
/*
 * prologue.h - bytes of ours that a function begins with.
 *
 * LLVM's language reference, "Prologue Data": the code generator puts them where the function
 * begins, before it moves the stack. A function that is inlined leaves them behind.
 */
#ifndef SPOOR_PASS_PROLOGUE_H
#define SPOOR_PASS_PROLOGUE_H

#include <llvm-c/Core.h>

#include <stdbool.h>

/* x86-64's bytes, or AArch64's: there are sleds and first runs of no other. */
bool prologue_is_for_x86_64(LLVMModuleRef module);

LLVMValueRef prologue_bytes(LLVMContextRef context, const char *bytes, unsigned count);

/*
 * prologue_landing_pad - what must stand first where branches are guarded: the processor asks
 * for it of whatever is called through a pointer. Where it can, the code generator leaves out its
 * own, behind our bytes.
 * @pad: is set where there is one
 *
 * Return: how many bytes it has, or 0.
 */
unsigned prologue_landing_pad(LLVMValueRef function, LLVMValueRef *pad);

/* @parts: one behind the other, without gaps */
void prologue_set(LLVMValueRef function, LLVMValueRef *parts, unsigned count);

#endif
