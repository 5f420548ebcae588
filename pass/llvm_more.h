/* SPDX-License-Identifier: MIT */
/* llvm_more.h - functions of LLVM's C++ interface that LLVM-C (14 to 22) lacks. */
#ifndef SPOOR_LLVM_MORE_H
#define SPOOR_LLVM_MORE_H

#include <llvm-c/Core.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the compilation, like an error in the source. */
void spoor_report_error(LLVMModuleRef module, const char *message);
void spoor_metadata_remove(LLVMModuleRef module, const char *name);
int spoor_call_is_must_tail(LLVMValueRef call);
/* Tells if code before the call checks its target's type (-fsanitize=kcfi). */
int spoor_call_is_checked(LLVMValueRef call);
/* The first instruction after a call or an invoke that returns, on this path only: splits the edge if the next
 * block has other predecessors. */
LLVMValueRef spoor_call_next(LLVMValueRef call);
void spoor_call_set_no_tail(LLVMValueRef call);
int spoor_call_has_bundles(LLVMValueRef call);
/* Tells if the code generator may replace the call by instructions, because it knows the library function. */
int spoor_call_may_be_expanded(LLVMValueRef call);
/* Keeps a global from being removed or changed by the compiler, but not by the linker. */
void spoor_global_keep(LLVMValueRef global);
/* Splits the block before @before, and adds a new block for the unlikely case that @condition is true. Returns the
 * end of the new block. */
LLVMValueRef spoor_insert_if(LLVMValueRef condition, LLVMValueRef before);
/* The function's name in the source, from its debug information; null if unknown. */
const char *spoor_subprogram_name(LLVMMetadataRef subprogram, size_t *length);
/* Tells if the compiler of the unit has an assembler and accepts inline assembly. */
int spoor_module_assembles(LLVMModuleRef module);
/* Tells if an exception may leave the function from a call that is not an invoke. */
int spoor_call_may_throw(LLVMValueRef call);
/* Turns a call into an invoke whose exceptions arrive in the landing pad of @pad. */
void spoor_call_catch(LLVMValueRef call, LLVMBasicBlockRef pad);
/* Tells if exceptions arrive in funclets, as on Windows and WebAssembly. */
int spoor_function_has_funclets(LLVMValueRef function);
/* If only a branch separates a tail call from its return, gives the call a separate return, as the code generator
 * would do later. */
void spoor_returns_part(LLVMValueRef function);
/* The tail call before @ret that must be or (with @tails) may be the function's last act. Returns @ret if there is
 * none. */
LLVMValueRef spoor_return_begin(LLVMValueRef ret, int tails);
/* Bytes before a function's own code (LLVM's language reference, "Prologue Data"). LLVM-C has these functions
 * since 19. */
int spoor_function_has_prologue(LLVMValueRef function);
void spoor_function_set_prologue(LLVMValueRef function, LLVMValueRef bytes);

#ifdef __cplusplus
}
#endif

#endif
