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
#include "module/hooked_functions.h"

/* The compilers define these names and arguments. */
void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);
void __cyg_profile_func_enter_bare(void);

__attribute__((noinline)) static void follow_hook(void *function, void *at, enum spoor_thunk thunk)
{
	uint32_t local;
	struct spoor_hooked *module =
		spoor_hooked_function_of((uintptr_t)function, (uintptr_t)at, spoor_runtime_begin_tracing, &local);

	if (module)
		spoor_hooked_follow(&module->code, local, thunk);
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
	uint32_t local;
	struct spoor_hooked *module = spoor_hooked_function_around(at, spoor_runtime_begin_tracing, &local);

	if (!module)
		return;
	spoor_hooked_follow(&module->code, local, SPOOR_THUNK_ENTRY);
	spoor_hooked_follow(&module->code, local, SPOOR_THUNK_EXIT);
}

/* Compilers report no end of such a call, so the call is recorded without duration. */
EXPORT void __cyg_profile_func_enter_bare(void)
{
	if (spoor_is_ready())
		follow_bare_hook((uintptr_t)__builtin_return_address(0));
}
