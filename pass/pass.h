/* SPDX-License-Identifier: MIT */
/*
 * pass.h - the entry points of the pass, for the plugin and spoor_opt.
 *
 * Invariants of a module after spoor_pass_run
 *   I1  A function has sleds if and only if it has one entry in the function table,
 *       whatever is inlined, merged, or dropped by the linker afterwards.
 *   I2  The functions' behaviour is unchanged, and no function is removed. Only wrappers of library functions are added
 *       (redirect.h).
 *   I3  A second run changes nothing.
 */
#ifndef SPOOR_PASS_H
#define SPOOR_PASS_H

#include "pass/options.h"

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to treat the marks that clang's -pg sets. Functions with the attribute no_instrument_function have no mark,
 * and there is no other sign of the attribute. */
enum spoor_marks {
	SPOOR_MARKS_ABSENT,	/* clang did not set marks */
	SPOOR_MARKS_REMOVE,	/* clang set marks only for the pass: read and remove them */
	SPOOR_MARKS_KEEP,	/* the user profiles the program, too: only read them */
};

/* Runs before any optimisation: turns clang's marks into "xray-never", and notes the unit's ID. */
void spoor_pass_start(LLVMModuleRef module, enum spoor_marks marks);

/*
 * spoor_pass_keep - runs before the inliner: keeps the functions from being inlined that the options choose. With the
 * options before_inlining and mode=call, also inserts the calls.
 *
 * Returns 0, or a negative errno after an error that ends the compilation.
 */
int spoor_pass_keep(LLVMModuleRef module, const struct spoor_options *options);

/*
 * spoor_pass_run - runs after all optimisation: marks functions for sleds, and adds the
 * function table.
 *
 * Returns 0, or a negative errno after an error that ends the compilation.
 */
int spoor_pass_run(LLVMModuleRef module, const struct spoor_options *options);

#ifdef __cplusplus
}
#endif

#endif
