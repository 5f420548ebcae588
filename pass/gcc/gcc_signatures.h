/* SPDX-License-Identifier: MIT */
/* gcc_signatures.h - describes the arguments and result of a function that GCC compiled. */
#ifndef SPOOR_GCC_SIGNATURES_H
#define SPOOR_GCC_SIGNATURES_H

#include "pass/gcc/gcc_headers.h"

/* Writes the record of a function (format/signature_format.h) into the assembly. Its RTL must still exist.
 * @position: of the function in the unit */
void gcc_signatures_print(tree decl, unsigned position);

#endif
