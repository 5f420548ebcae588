/* SPDX-License-Identifier: MIT */
/* eligibility.h - decides which functions can be instrumented, and why others cannot. */
#ifndef SPOOR_ELIGIBILITY_H
#define SPOOR_ELIGIBILITY_H

#include <llvm-c/Core.h>

#include <stdbool.h>

enum eligibility {
	ELIGIBLE,
	INELIGIBLE_NOT_EMITTED,		/* available_externally: another unit emits the code */
	INELIGIBLE_BY_ATTRIBUTE,	/* xray_never_instrument, no_instrument_function */
	INELIGIBLE_OURS,		/* part of the stub or the runtime */
	INELIGIBLE_NAKED,		/* the compiler emits no prologue and no return */
	INELIGIBLE_CONVENTION,		/* a sled or a trampoline would break its calling convention */
	INELIGIBLE_IFUNC_RESOLVER,	/* runs before relocations are done */
	INELIGIBLE_PATCHABLE_ENTRY,	/* LLVM emits a different kind of patchable entry, and no sled */
	INELIGIBLE_NO_CODE,		/* never entered: LLVM emits no instruction, and no sled */
	/* Only for sleds. */
	INELIGIBLE_CHECKED_JUMP,	/* a tail call is required, and its target's type is checked */
	INELIGIBLE_HARDENED_RETURN,	/* x86-64's exit sled is a plain return, and a hardened one was requested */
	/* Only for calls. */
	INELIGIBLE_RESOLVER_CALLS,	/* an ifunc resolver calls it before the runtime can be called */
	INELIGIBLE_FUNCLETS,		/* exceptions arrive in funclets: parts of it that are functions */
	INELIGIBLE_COROUTINE,		/* a coroutine that has not been split yet */
	/* Only for first runs. */
	INELIGIBLE_PROLOGUE,		/* other bytes already precede its code */
	INELIGIBLE_JUMP_TABLE,		/* control-flow integrity replaces the function's address by a jump to it */
};

/* The ifunc resolvers of a module, and the functions of the module that they call, directly or not. Found once. */
struct resolvers {
	LLVMValueRef *functions;	/* without duplicates; the resolvers come first */
	size_t count, room;
	size_t own_count;		/* number of resolvers */
};

/* Returns 0, or -ENOMEM. Free the resolvers in both cases. */
int resolvers_find(struct resolvers *resolvers, LLVMModuleRef module);
void resolvers_free(struct resolvers *resolvers);

/* Tells if a function is an ifunc resolver, or if one calls it, directly or not. */
bool resolvers_reach(const struct resolvers *resolvers, LLVMValueRef function);

/* For every kind of instrumentation. @function has a body, which may be available_externally. */
enum eligibility eligibility_of(LLVMValueRef function, const struct resolvers *resolvers);

/* For sleds. */
enum eligibility eligibility_for_sleds(LLVMValueRef function, const struct resolvers *resolvers);

/* For calls instead of sleds. */
enum eligibility eligibility_for_calls(LLVMValueRef function, const struct resolvers *resolvers);

/* For code that reports the first run. */
enum eligibility eligibility_for_first_runs(LLVMValueRef function, const struct resolvers *resolvers);

/* Explains why a function is not instrumented; null for ELIGIBLE. */
const char *eligibility_reason(enum eligibility eligibility);

#endif
