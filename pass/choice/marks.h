/* SPDX-License-Identifier: MIT */
/* marks.h - finds the functions with the attribute no_instrument_function. */
#ifndef SPOOR_MARKS_H
#define SPOOR_MARKS_H

#include "pass/pass.h"

#include <stdbool.h>

/*
 * marks_read - sets "function-instrument"="xray-never" on these functions.
 * @marks: whether clang set marks, and whether to remove them
 * @obey:  false only removes the marks: there will be no sleds
 *
 * Call it before any function is inlined.
 */
void marks_read(LLVMModuleRef module, enum spoor_marks marks, bool obey);

#endif
