/* SPDX-License-Identifier: MIT */
/* marks.h - finds the functions with the attribute no_instrument_function. */
#ifndef SPOOR_MARKS_H
#define SPOOR_MARKS_H

#include "pass.h"

/* Sets "function-instrument"="xray-never" on them. To be called before any function is inlined. */
void marks_read(LLVMModuleRef module, enum spoor_marks marks);

#endif
