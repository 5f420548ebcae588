/* SPDX-License-Identifier: MIT */
/* unwind_marks.h - says at run time where exceptions and longjmp have arrived. */
#ifndef SPOOR_PASS_UNWIND_MARKS_H
#define SPOOR_PASS_UNWIND_MARKS_H

#include <llvm-c/Core.h>

#include <stdbool.h>

/*
 * unwind_marks_add - marks the places in @function that are reached while the
 * frames of calls are gone: landing pads, but those where nothing is done but to end
 * the program, and where setjmp returns again; and where stacks are switched.
 *
 * A mark calls spoor_dso_unwound (registration.h), if the module has a stub.
 * On the way that is taken without exceptions, longjmp and switches nothing is added but a
 * look at what setjmp has returned.
 *
 * Return: whether it has any.
 */
bool unwind_marks_add(LLVMValueRef function);

#endif
