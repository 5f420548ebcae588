/* SPDX-License-Identifier: MIT */
/* gcc_tables.h - writes the sled map, the function table, the marks and the symbols into the assembly. */
#ifndef SPOOR_GCC_TABLES_H
#define SPOOR_GCC_TABLES_H

#include "pass/gcc/gcc_headers.h"

/* Comes after the function's text is in the assembly. */
opt_pass *gcc_tables_pass(void);

/* At the end of the unit: the unit's ID, the helpers of marks, the symbols, and the note of a program that starts
 * untraced. */
void gcc_tables_finish(void);

#endif
