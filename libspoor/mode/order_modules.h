/* SPDX-License-Identifier: MIT */
/*
 * order_modules.h - functions compiled for order mode: each begins with a test of the function's byte,
 * and calls the runtime while the byte is 0 (pass/sleds/first_runs.c).
 *
 * Their modules have no function table. As for modules with hooks, the functions come from the
 * unwind table, and in mode 'order' a first run is handled as the call of a hook (hook_path.h).
 */
#ifndef SPOOR_ORDER_MODULES_H
#define SPOOR_ORDER_MODULES_H

#include "module/observer.h"

/*
 * spoor_order_modules_add - reports first runs of the module's functions from now on, in mode 'order'.
 *
 * Sets all bytes of the module to 0, so that functions that ran before are reported too.
 *
 * Context: any thread that may call libc.
 */
void spoor_order_modules_add(struct spoor_dso *dso);

/* Calls that for each module that registers, and for all modules when more functions may be noted. */
extern const struct spoor_module_observer spoor_order_observer;

#endif
