/* SPDX-License-Identifier: MIT */
/* attributes.h - reads and sets attributes of functions by name. */
#ifndef SPOOR_ATTRIBUTES_H
#define SPOOR_ATTRIBUTES_H

#include <llvm-c/Core.h>

#include <stdbool.h>

bool attribute_is_set(LLVMValueRef function, const char *name);
bool attribute_is(LLVMValueRef function, const char *name, const char *value);

/* Tells if the attribute's value, a list with commas, contains @item. */
bool attribute_lists(LLVMValueRef function, const char *name, const char *item);

void attribute_set(LLVMValueRef function, const char *name, const char *value);
void attribute_remove(LLVMValueRef function, const char *name);

/* For LLVM's own attributes, such as "naked": they have numbers and, here, no values. */
bool attribute_own_is_set(LLVMValueRef function, const char *name);

#endif
