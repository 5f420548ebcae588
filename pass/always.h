/* SPDX-License-Identifier: MIT */
/* always.h - the functions that the source calls SPOOR_ALWAYS. */
#ifndef SPOOR_PASS_ALWAYS_H
#define SPOOR_PASS_ALWAYS_H

#include <llvm-c/Core.h>

/* Sets the attribute ALWAYS_ATTRIBUTE on them. */
void always_read(LLVMModuleRef module);

#define ALWAYS_ATTRIBUTE "spoor-always"

#endif
