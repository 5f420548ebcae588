/* SPDX-License-Identifier: MIT */
/* hook_path.h - what a hook's event runs through once its module is known. */
#ifndef SPOOR_HOOK_PATH_H
#define SPOOR_HOOK_PATH_H

#include "module/hooked_modules.h"
#include "format/registration.h"

/* The function of the module that has the code at @address. Any context. */
uint32_t spoor_hooked_around(const struct spoor_hooked *module, uintptr_t address);

/* An event of a module's function: goes on through the slot, where the function is awake. */
void spoor_hooked_follow(struct spoor_hooked *module, uint32_t local, enum spoor_thunk thunk);

#endif
