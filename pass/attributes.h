/* SPDX-License-Identifier: MIT */
/* attributes.h - attributes of functions, by name. */
#ifndef SPOOR_ATTRIBUTES_H
#define SPOOR_ATTRIBUTES_H

#include <llvm-c/Core.h>

#include <stdbool.h>

bool attribute_is_set(LLVMValueRef function, const char *name);
bool attribute_is(LLVMValueRef function, const char *name, const char *value);

/* Whether its value, a list with commas, has this item. */
bool attribute_lists(LLVMValueRef function, const char *name, const char *item);

void attribute_set(LLVMValueRef function, const char *name, const char *value);
void attribute_remove(LLVMValueRef function, const char *name);

/* One of LLVM's own, such as "naked": they have numbers, and no value asked for here. */
bool attribute_own_is_set(LLVMValueRef function, const char *name);

#endif
