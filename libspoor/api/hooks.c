/* SPDX-License-Identifier: MIT */
/*
 * hooks.c - the functions that code compiled with -finstrument-functions calls: see GCC's manual,
 * "Program Instrumentation Options". enter_bare is clang's.
 *
 * Hooked code may run before libc can be used (base/readiness.h). Its events are ignored.
 */
#include "api/interface.h"
#include "api/runtime.h"
#include "base/readiness.h"
#include "module/hooked_modules.h"

/* The compilers define these names and arguments. */
void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);
void __cyg_profile_func_enter_bare(void);

/* @function is the address that the linker found for the function's name. If that is an entry of the procedure
 * linkage table in the executable, the place of the call says which function it is. */
__attribute__((noinline)) static void follow_hook(void *function, void *at, enum spoor_thunk thunk)
{
	struct spoor_hooked *module = spoor_hooked_find((uintptr_t)function, spoor_runtime_begin_tracing);
	uint32_t local;

	if (module && spoor_hooked_function_at(module, (uintptr_t)function, &local))
		spoor_hooked_follow(&module->code, local, thunk);
	else if ((module = spoor_hooked_find((uintptr_t)at, spoor_runtime_begin_tracing)))
		spoor_hooked_follow(&module->code, spoor_hooked_around(&module->code, (uintptr_t)at), thunk);
}

EXPORT void __cyg_profile_func_enter(void *function, void *caller)
{
	(void)caller;
	if (spoor_is_ready())
		follow_hook(function, __builtin_return_address(0), SPOOR_THUNK_ENTRY);
}

EXPORT void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)caller;
	if (spoor_is_ready())
		follow_hook(function, __builtin_return_address(0), SPOOR_THUNK_EXIT);
}

__attribute__((noinline)) static void follow_bare_hook(uintptr_t at)
{
	struct spoor_hooked *module = spoor_hooked_find(at, spoor_runtime_begin_tracing);
	uint32_t local;

	if (!module)
		return;
	local = spoor_hooked_around(&module->code, at);
	spoor_hooked_follow(&module->code, local, SPOOR_THUNK_ENTRY);
	spoor_hooked_follow(&module->code, local, SPOOR_THUNK_EXIT);
}

/* Compilers report no end of such a call, so the call is recorded without duration. */
EXPORT void __cyg_profile_func_enter_bare(void)
{
	if (spoor_is_ready())
		follow_bare_hook((uintptr_t)__builtin_return_address(0));
}
