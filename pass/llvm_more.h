/* SPDX-License-Identifier: MIT */
/* llvm_more.h - the little of LLVM's C++ interface to which LLVM-C (14 to 22) has no way. */
#ifndef SPOOR_LLVM_MORE_H
#define SPOOR_LLVM_MORE_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the compilation as an error in the source would. */
void spoor_report_error(LLVMModuleRef module, const char *message);
void spoor_metadata_remove(LLVMModuleRef module, const char *name);
int spoor_call_is_must_tail(LLVMValueRef call);
void spoor_call_set_no_tail(LLVMValueRef call);
/* Splits the block there, with a new one for the case that @condition is true, which is
 * unlikely. Return: the new block's end. */
LLVMValueRef spoor_insert_if(LLVMValueRef condition, LLVMValueRef before);

#ifdef __cplusplus
}
#endif

#endif
