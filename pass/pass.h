/* SPDX-License-Identifier: MIT */
/*
 * pass.h - what the plugin and spoor_opt run.
 *
 * Invariants of a module after spoor_pass_run
 *   I1  A function has sleds exactly if it has one entry in the function table,
 *       whatever is inlined, merged, or dropped by the linker afterwards.
 *   I2  What the functions do is unchanged, and so is which of them exist.
 *   I3  Running once more changes nothing.
 */
#ifndef SPOOR_PASS_H
#define SPOOR_PASS_H

#include "pass/options.h"

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

/*
 * spoor_pass_run - after all optimisation: marks functions for sleds, and adds the
 * function table.
 *
 * Return: 0, or a negative errno after an error that ends the compilation.
 */
int spoor_pass_run(LLVMModuleRef module, const struct spoor_options *options);

#ifdef __cplusplus
}
#endif

#endif
