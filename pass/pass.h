/* SPDX-License-Identifier: MIT */
/*
 * pass.h - what the plugin runs, and the little that it needs of LLVM's C++
 * interface because LLVM-C (14 to 22) has no way to it.
 *
 * Invariants of a module after spoor_pass_run
 *   I1  A function has sleds exactly if it has one entry in the function table,
 *       whatever is inlined, merged, or dropped by the linker afterwards.
 *   I2  What the functions do is unchanged, and so is which of them exist.
 *   I3  Running once more changes nothing.
 */
#ifndef SPOOR_PASS_H
#define SPOOR_PASS_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of the marks that clang's -pg sets: they alone tell, by being
 * absent, which functions have the attribute no_instrument_function. */
enum spoor_marks {
	SPOOR_MARKS_ABSENT,	/* clang was not asked for them */
	SPOOR_MARKS_REMOVE,	/* they were set for the pass: read and remove them */
	SPOOR_MARKS_KEEP,	/* somebody wants to profile too: read them */
};

/* Before any optimisation: turns clang's marks into "xray-never", and notes the unit's ID. */
void spoor_pass_start(LLVMModuleRef module, enum spoor_marks marks);

/* After all optimisation: marks functions for sleds, and adds the function table. */
void spoor_pass_run(LLVMModuleRef module);

/* In plugin.cc. */

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
