/* SPDX-License-Identifier: MIT */
/*
 * gcc_marks.h - marks the places where exceptions, longjmp and non-local gotos arrive, and where code switches to
 * another stack. pass/sleds/unwind_marks.h describes marks.
 */
#ifndef SPOOR_GCC_MARKS_H
#define SPOOR_GCC_MARKS_H

#include "pass/gcc/gcc_headers.h"

/* Begins a function: chooses whether it is instrumented, and adds its marks. For GIMPLE that is ready to expand. */
opt_pass *gcc_marks_pass(void);

/* Registers the declarations of this file with GCC's garbage collector. */
void gcc_marks_register(const char *plugin);

/* Tells if any function of the unit has marks. */
bool gcc_marks_are_used(void);

#endif
