/* SPDX-License-Identifier: MIT */
/*
 * disabled_functions.h - records in the trace which functions were disabled while events are stored: their open calls
 * will have no exits.
 *
 * A function that was enabled after the last stored event is not recorded, because it has no open calls. Otherwise a
 * program that switches functions often and calls none of them would fill process.spoor.
 */
#ifndef SPOOR_DISABLED_FUNCTIONS_H
#define SPOOR_DISABLED_FUNCTIONS_H

#include "module/observer.h"

/*
 * spoor_trace_disabled - records that functions were made dormant since @asked.
 * @functions: bits by local ID; functions that are patched now are skipped
 * @asked:     value of the counter
 *
 * Context: under the registry's lock.
 */
void spoor_trace_disabled(const struct spoor_instance *instance, const uint64_t *functions, uint64_t asked);

extern const struct spoor_module_observer spoor_disabled_modules;

#endif
