/* SPDX-License-Identifier: MIT */
/* mixed_modules.h - the modules whose slots lead to the mixed trampolines (capture_path.h) while events are logged. */
#ifndef SPOOR_MIXED_MODULES_H
#define SPOOR_MIXED_MODULES_H

#include "module/registry.h"

/* Makes a module mixed. Returns whether it is new; then the caller sets its slots. Each of the module's chunks of dense
 * indexes has actions (I2 in capture_path.h), and so has each of its wrappers' indexes. Under the registry's lock. */
bool spoor_mixed_modules_add(const struct spoor_instance *instance);

/* Whether a module is mixed. */
bool spoor_mixed_modules_has(const struct spoor_instance *instance);

/* Returns the trampoline that replaces @trampoline in the slots of the module. */
const void *spoor_mixed_modules_find(const struct spoor_instance *instance, const void *trampoline);

#endif
