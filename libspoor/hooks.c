/* SPDX-License-Identifier: MIT */
/*
 * hooks.c - what functions call that were compiled with -finstrument-functions: GCC's manual,
 * "Program Instrumentation Options"; enter_bare is clang's.
 *
 * An event goes on through the slots that a module with thunks would have, so that all modes
 * and handlers see it as they see one of a sled.
 */
#include <stddef.h>

#include "event_path.h"
#include "hooked_module.h"
#include "interface.h"
#include "registry.h"

/* trampolines/: to where a slot leads, with the event's code where trampolines look for it. */
void spoor_hook_follow(uint32_t code, void *slot);

/* The names and arguments are the compilers'. */
void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);
void __cyg_profile_func_enter_bare(void);

#define KIND_OF(thunk) ((thunk) == SPOOR_THUNK_ENTRY ? SPOOR_EVENT_ENTRY : SPOOR_EVENT_EXIT)

static void follow(struct spoor_hooked *module, uint32_t local, enum spoor_thunk thunk)
{
	struct spoor_instance *instance = module->instance;
	const uint64_t *awake = __atomic_load_n(&instance->patched, __ATOMIC_ACQUIRE);

	if (awake && __atomic_load_n(&awake[local / 64], __ATOMIC_RELAXED) >> (local % 64) & 1)
		spoor_hook_follow(SPOOR_EVENT_CODE(KIND_OF(thunk), instance->base + local),
				  __atomic_load_n(&module->slots[thunk], __ATOMIC_ACQUIRE));
}

/* The function is the one that the linker found under its name. Where the executable has that
 * in its own text, it is a jump, and the caller tells more. */
static void hook(void *function, void *at, enum spoor_thunk thunk)
{
	struct spoor_hooked *module = spoor_hooked_find((uintptr_t)function);
	uint32_t local;

	if (module && spoor_hooked_begins(module, (uintptr_t)function, &local))
		follow(module, local, thunk);
	else if ((module = spoor_hooked_find((uintptr_t)at)))
		follow(module, spoor_hooked_around(module, (uintptr_t)at), thunk);
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
	struct spoor_hooked *module = spoor_hooked_find(at);
	uint32_t local;

	if (!module)
		return;
	local = spoor_hooked_around(module, at);
	follow(module, local, SPOOR_THUNK_ENTRY);
	follow(module, local, SPOOR_THUNK_EXIT);
}
