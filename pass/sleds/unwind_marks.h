/* SPDX-License-Identifier: MIT */
/* unwind_marks.h - marks the places where exceptions and longjmp arrive, so that the runtime can end the skipped
 * calls. */
#ifndef SPOOR_PASS_UNWIND_MARKS_H
#define SPOOR_PASS_UNWIND_MARKS_H

#include <llvm-c/Core.h>

#include <stdbool.h>

/*
 * unwind_marks_add - adds a mark to the places in @function that run after the frames of calls
 * have disappeared: landing pads, except those that only end the program; second returns of
 * setjmp; and switches of stacks.
 *
 * A mark calls spoor_dso_unwound (registration.h), if the module has a stub. If there are no
 * exceptions, longjmps or switches, the only cost is a test of setjmp's result.
 *
 * Returns whether @function has any marks.
 */
bool unwind_marks_add(LLVMValueRef function);

#endif
