/* SPDX-License-Identifier: MIT */
/*
 * handler_library.h - loads the library that the configuration's `handler` names, reports functions to
 * it, and passes events on (spoor_handler.h).
 *
 * Invariants
 *   I1  No function of the library or of the dynamic linker is called under the
 *       registry's lock, and no thread waits for such a call.
 *   I2  A function's sleds stay dormant until the function was reported to the
 *       library. So a choice takes two steps: spoor_handler_modules holds new functions
 *       back; spoor_handler_library_settle reports them and applies the choice again.
 *   I3  The library's own module is never patched.
 */
#ifndef SPOOR_HANDLER_LIBRARY_H
#define SPOOR_HANDLER_LIBRARY_H

#include "module/observer.h"

/*
 * spoor_handler_library_begin - loads the library, if one is configured and no other thread
 * loads it. Calls the dynamic linker, so not under the registry's lock.
 *
 * Returns 0, or -ESHUTDOWN after a message: then no function is ever traced.
 */
int spoor_handler_library_begin(void);

/* Reinstalls the library's handler. Returns false if there is none. Under the registry's lock. */
bool spoor_handler_library_resume(void);

/* Tells if a handler library is configured: it receives events instead of a trace. */
bool spoor_handler_library_is_used(void);

/* Reports the functions that were held back, and patches them. Not under the registry's lock. Returns how many
 * functions changed. */
long spoor_handler_library_settle(void);

/* In a forked child: functions that another thread was about to report are reported again. Under the registry's
 * lock. */
void spoor_handler_library_after_fork(void);

/* Calls the library's end function when the process ends. Does nothing if that was done before. */
void spoor_handler_library_end(void);

/* Holds functions back that were not reported to the library, and reports closed modules. */
extern const struct spoor_module_observer spoor_handler_modules;

#endif
