/* SPDX-License-Identifier: MIT */
/* runtime.h - begins and ends the runtime of a process. */
#ifndef SPOOR_RUNTIME_H
#define SPOOR_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "config/configuration.h"

/*
 * spoor_runtime_begin - reads the configuration and prepares for patching, once. The
 * first module may register before libspoor.so's own constructor runs.
 *
 * Returns 0, or -ESHUTDOWN after a message if the runtime stays off for the whole process. Returns
 * -ESHUTDOWN and does nothing if libc cannot be used yet (base/readiness.h). Errors of the configuration are
 * printed by the first call, so a process that does not use libspoor.so prints none.
 *
 * Preserves errno. A caller that saves errno does so afterwards: errno is thread-local.
 */
int spoor_runtime_begin(void);

/* spoor_runtime_begin, and loads the handler library: for a process with a module to trace. Calls the dynamic
 * linker, so not under the registry's lock. */
int spoor_runtime_begin_tracing(void);

/* Makes this library's constructor search for modules whose constructors ran before libc could be used. */
void spoor_runtime_defer_registration(void);

/* Tells if the runtime has begun, and the program has not deinitialised it since. */
bool spoor_runtime_is_begun(void);
void spoor_runtime_set_begun(bool begun);

#endif
