/* SPDX-License-Identifier: MIT */
/* eligibility.h - which functions can carry sleds, and why others cannot. */
#ifndef SPOOR_ELIGIBILITY_H
#define SPOOR_ELIGIBILITY_H

#include <llvm-c/Core.h>

enum eligibility {
	ELIGIBLE,
	INELIGIBLE_NOT_EMITTED,		/* available_externally: code is made elsewhere */
	INELIGIBLE_BY_ATTRIBUTE,	/* xray_never_instrument, no_instrument_function */
	INELIGIBLE_OURS,		/* the stub, the runtime */
	INELIGIBLE_NAKED,		/* no prologue or return of the compiler's own */
	INELIGIBLE_CONVENTION,		/* a sled or a trampoline would break its calling convention */
	INELIGIBLE_IFUNC_RESOLVER,	/* runs before relocations are done */
	INELIGIBLE_PATCHABLE_ENTRY,	/* LLVM emits the other kind of patchable entry, and no sled */
	INELIGIBLE_NO_CODE,		/* never entered: LLVM emits no instruction, and no sled */
	/* For sleds alone. */
	INELIGIBLE_CHECKED_JUMP,	/* a tail call that must be one, and whose target is checked */
	INELIGIBLE_HARDENED_RETURN,	/* x86-64's exit sled is a return of another kind than was asked for */
	/* For calls alone. */
	INELIGIBLE_RESOLVER_CALLS,	/* an ifunc resolver calls it, before the runtime can be called */
	INELIGIBLE_FUNCLETS,		/* exceptions arrive in parts of it that are functions */
	INELIGIBLE_COROUTINE,		/* that has not been split yet */
	/* For first runs alone. */
	INELIGIBLE_PROLOGUE,		/* somebody else's bytes stand in front of its code */
	INELIGIBLE_JUMP_TABLE,		/* control-flow integrity calls a jump to it by its name */
};

/* The ifunc resolvers of a module, and the functions of it that these call, directly or not; looked up once. */
struct resolvers {
	LLVMValueRef *functions;	/* each once; the resolvers come first */
	size_t count, room;
	size_t own_count;		/* of the resolvers themselves */
};

/* Return: 0 or -ENOMEM. Free them in both cases. */
int resolvers_find(struct resolvers *resolvers, LLVMModuleRef module);
void resolvers_free(struct resolvers *resolvers);

/* Whatever it is to be given. @function has a body, which may be available_externally. */
enum eligibility eligibility_of(LLVMValueRef function, const struct resolvers *resolvers);

/* What @function is when it is to be given sleds. */
enum eligibility eligibility_for_sleds(LLVMValueRef function, const struct resolvers *resolvers);

/* What @function is when it is to be given calls in the place of sleds. */
enum eligibility eligibility_for_calls(LLVMValueRef function, const struct resolvers *resolvers);

/* What @function is when code is to notice its first run. */
enum eligibility eligibility_for_first_runs(LLVMValueRef function, const struct resolvers *resolvers);

/* Why a function is left out, in words; null for ELIGIBLE. */
const char *eligibility_reason(enum eligibility eligibility);

#endif
