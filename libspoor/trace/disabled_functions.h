/* SPDX-License-Identifier: MIT */
/*
 * disabled_functions.h - what the trace is told of functions that are disabled while events are stored: calls of
 * them that are open have no exits.
 *
 * Nothing is said of functions that were woken since when no thread has stored anything, or a program that switches
 * them idly would fill process.spoor.
 */
#ifndef SPOOR_DISABLED_H
#define SPOOR_DISABLED_H

#include "module/observer.h"

/*
 * spoor_trace_disabled - of @functions, a bitmap by local ID, what is not patched was
 * made dormant since the counter was @asked. Under the registry's lock.
 */
void spoor_trace_disabled(const struct spoor_instance *instance, const uint64_t *functions, uint64_t asked);

extern const struct spoor_module_observer spoor_disabled_modules;

#endif
