/* SPDX-License-Identifier: MIT */
/*
 * hooks.c - what functions call that were compiled with -finstrument-functions: GCC's manual,
 * "Program Instrumentation Options"; enter_bare is clang's.
 */
#include "api/interface.h"
#include "api/runtime.h"
#include "module/hooked_modules.h"

/* The names and arguments are the compilers'. */
void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);
void __cyg_profile_func_enter_bare(void);

/* The function is the one that the linker found under its name. Where the executable has that
 * in its own text, it is a jump, and the caller tells more. */
static void hook(void *function, void *at, enum spoor_thunk thunk)
{
	struct spoor_hooked *module = spoor_hooked_find((uintptr_t)function, spoor_runtime_begin_tracing);
	uint32_t local;

	if (module && spoor_hooked_begins(module, (uintptr_t)function, &local))
		spoor_hooked_follow(&module->code, local, thunk);
	else if ((module = spoor_hooked_find((uintptr_t)at, spoor_runtime_begin_tracing)))
		spoor_hooked_follow(&module->code, spoor_hooked_around(&module->code, (uintptr_t)at), thunk);
}

EXPORT void __cyg_profile_func_enter(void *function, void *caller)
{
	(void)caller;
	hook(function, __builtin_return_address(0), SPOOR_THUNK_ENTRY);
}

EXPORT void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)caller;
	hook(function, __builtin_return_address(0), SPOOR_THUNK_EXIT);
}

/* Nobody says when such a call ends: it takes no time. */
EXPORT void __cyg_profile_func_enter_bare(void)
{
	uintptr_t at = (uintptr_t)__builtin_return_address(0);
	struct spoor_hooked *module = spoor_hooked_find(at, spoor_runtime_begin_tracing);
	uint32_t local;

	if (!module)
		return;
	local = spoor_hooked_around(&module->code, at);
	spoor_hooked_follow(&module->code, local, SPOOR_THUNK_ENTRY);
	spoor_hooked_follow(&module->code, local, SPOOR_THUNK_EXIT);
}
