/* SPDX-License-Identifier: MIT */
/*
 * order_modules.h - functions compiled for order mode: each begins with a look at a byte of its
 * own, and calls in while that is 0 (pass/first_runs.c).
 *
 * Their modules have no function table: they are known by their unwind tables, as those with
 * hooks are, and in mode 'order' a first run is noted as a hook's call would be (hook_path.h).
 */
#ifndef SPOOR_FIRST_RUNS_H
#define SPOOR_FIRST_RUNS_H

#include "module/observer.h"

/*
 * spoor_order_modules_add - has first runs of the module noticed from here on, in mode 'order'.
 *
 * All its bytes are 0 then: what ran before counts again.
 * Context: any thread that may call libc.
 */
void spoor_order_modules_add(struct spoor_dso *dso);

/* Does that for each module that registers, and again for all when more of them may be noted. */
extern const struct spoor_module_observer spoor_order_observer;

#endif
