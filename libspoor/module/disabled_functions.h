/* SPDX-License-Identifier: MIT */
/*
 * disabled_functions.h - what the trace is told of functions that are disabled while events are stored: calls of
 * them that are open have no exits. Nothing is said of functions that were woken since when no thread has
 * stored anything, or a program that switches them idly would fill process.spoor.
 */
#ifndef SPOOR_DISABLED_H
#define SPOOR_DISABLED_H

#include "module/registry.h"

/* Before functions that are wanted are woken. Under the registry's lock, as the other. */
void spoor_disabled_waking(struct spoor_instance *instance);

/*
 * spoor_disabled_tell - what is not patched any more was made dormant since.
 * @patched: a bitmap by local ID, as it was when the counter was @asked; changed here
 */
void spoor_disabled_tell(struct spoor_instance *instance, uint64_t *patched, uint64_t asked);

#endif
