/* SPDX-License-Identifier: MIT */
/* always.h - finds the functions that the source marks with SPOOR_ALWAYS. */
#ifndef SPOOR_PASS_ALWAYS_H
#define SPOOR_PASS_ALWAYS_H

#include <llvm-c/Core.h>

/* Sets the attribute ALWAYS_ATTRIBUTE on these functions. */
void always_read(LLVMModuleRef module);

#define ALWAYS_ATTRIBUTE "spoor-always"

#endif
