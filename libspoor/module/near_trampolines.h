/* SPDX-License-Identifier: MIT */
/* near_trampolines.h - the copies of handler trampolines that a module may contain (registration.h). */
#ifndef SPOOR_NEAR_TRAMPOLINES_H
#define SPOOR_NEAR_TRAMPOLINES_H

#include "format/registration.h"

/*
 * spoor_near_trampolines_find - finds the trampoline that a slot of a module should point to.
 *
 * Returns @dso's copy of @trampoline, with its handler updated, or @trampoline if the module
 * has no copy.
 *
 * Context: under the registry's lock.
 */
const void *spoor_near_trampolines_find(const struct spoor_dso *dso, const void *trampoline);

/* Updates the handlers in the copies of all modules. Under the registry's lock. */
void spoor_near_trampolines_update(void);

#endif
