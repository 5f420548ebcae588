/* SPDX-License-Identifier: MIT */
/* call_wrapper.h - makes the call slot and the wrapper of a function that is only declared. */
#ifndef SPOOR_CALL_WRAPPER_H
#define SPOOR_CALL_WRAPPER_H

#include <llvm-c/Core.h>

/* Marks wrappers. The value is the number of fixed arguments if the function takes further ones, else "". */
#define CALL_WRAPPER_ATTRIBUTE "spoor-call-wrapper"

/*
 * call_slot_for - finds or makes the slot for a call and calls of the same signature.
 * @call: a direct call of @callee
 *
 * Returns the slot, a struct spoor_call_slot; null without memory.
 */
LLVMValueRef call_slot_for(LLVMValueRef call, LLVMValueRef callee);

/* Returns the number of arguments that every call of a wrapper's function has; UINT_MAX: all of the wrapper's, or no wrapper. */
unsigned call_wrapper_fixed_arguments(LLVMValueRef function);

/* Builds a load of field @field (0: where calls lead, 1: the function) as a pointer to a function of type @function. */
LLVMValueRef call_slot_load(LLVMBuilderRef builder, LLVMValueRef slot, unsigned field, LLVMTypeRef function);

/* Copies the attributes of argument or result @index that say how it is passed, from call and callee to another call. */
void call_copy_passing(LLVMValueRef to, LLVMValueRef call, LLVMValueRef callee, LLVMAttributeIndex index);

#endif
