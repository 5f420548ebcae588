/* SPDX-License-Identifier: MIT */
/* llvm_more.h - the little of LLVM's C++ interface to which LLVM-C (14 to 22) has no way. */
#ifndef SPOOR_LLVM_MORE_H
#define SPOOR_LLVM_MORE_H

#include <llvm-c/Core.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the compilation as an error in the source would. */
void spoor_report_error(LLVMModuleRef module, const char *message);
void spoor_metadata_remove(LLVMModuleRef module, const char *name);
int spoor_call_is_must_tail(LLVMValueRef call);
/* Whether its target's type is checked in front of it (-fsanitize=kcfi). */
int spoor_call_is_checked(LLVMValueRef call);
/* The first instruction after a call or an invoke that returns, on that way alone: splits
 * the edge to where others come from, too. */
LLVMValueRef spoor_call_next(LLVMValueRef call);
void spoor_call_set_no_tail(LLVMValueRef call);
/* Splits the block there, with a new one for the case that @condition is true, which is
 * unlikely. Return: the new block's end. */
LLVMValueRef spoor_insert_if(LLVMValueRef condition, LLVMValueRef before);
/* What the source calls a function, by its debug information; null where that is not said. */
const char *spoor_subprogram_name(LLVMMetadataRef subprogram, size_t *length);
/* Whether who compiles the unit here can assemble, and takes assembly in it. */
int spoor_module_assembles(LLVMModuleRef module);
/* Whether an exception may come out of a call, which no invoke of it changes. */
int spoor_call_may_throw(LLVMValueRef call);
/* Makes an invoke of a call: exceptions out of it arrive in the landing pad of @pad. */
void spoor_call_catch(LLVMValueRef call, LLVMBasicBlockRef pad);
/* Whether exceptions arrive in funclets, as those of Windows and WebAssembly do. */
int spoor_function_has_funclets(LLVMValueRef function);
/* Gives each tail call that only a branch parts from its return one of its own, as the code
 * generator would do later. */
void spoor_returns_part(LLVMValueRef function);
/* What stands in front of @ret and must, or (with @tails) may, be the last that the function
 * does: a tail call. Or else @ret. */
LLVMValueRef spoor_return_begin(LLVMValueRef ret, int tails);
/* Bytes that stand in front of a function's own code (LLVM's language reference, "Prologue
 * Data"), which LLVM-C has since 19. */
int spoor_function_has_prologue(LLVMValueRef function);
void spoor_function_set_prologue(LLVMValueRef function, LLVMValueRef bytes);

#ifdef __cplusplus
}
#endif

#endif
