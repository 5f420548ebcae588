/* SPDX-License-Identifier: MIT */
/*
 * handler_library.h - the library that the configuration's `handler` names: loads
 * it, tells it of functions, and passes events on (spoor_handler.h).
 *
 * Invariants
 *   I1  Nothing of the library's, and nothing of the dynamic linker's, is called
 *       under the registry's lock; nobody waits for a call of it.
 *   I2  A function's sleds stay dormant until the library has been told of it. So
 *       choosing a function takes two steps: spoor_handler_library_target keeps
 *       it back, spoor_handler_library_settle tells, and applies the choice again.
 *   I3  The library's own module is never patched.
 */
#ifndef SPOOR_HANDLER_LIBRARY_H
#define SPOOR_HANDLER_LIBRARY_H

#include "module/registry.h"

/*
 * spoor_handler_library_begin - loads the library, where there is one to be loaded and
 * no other thread does. Calls the dynamic linker: not under the lock.
 *
 * Return: 0, or -ESHUTDOWN after a message: then nothing is ever traced.
 */
int spoor_handler_library_begin(void);

/* Goes back to the library's handler. Return: false where there is none. Under the lock. */
bool spoor_handler_library_resume(void);

/* Whether events go elsewhere than into a trace. */
bool spoor_handler_library_is_used(void);

/* What of @target may be patched now; null for nothing. Under the lock. */
const uint64_t *spoor_handler_library_target(struct spoor_instance *instance, const uint64_t *target);

/* Tells of what was kept back, and patches it. Not under the lock. Return: functions patched. */
long spoor_handler_library_settle(void);

/*
 * A module goes. _gone is called under the lock, and says whether _tell_gone is to be
 * called when it is not held any more.
 */
bool spoor_handler_library_gone(struct spoor_instance *instance);
void spoor_handler_library_tell_gone(uint32_t module_id, const char *path);

/* In a forked child, under the lock: what another thread was about to tell is told anew. */
void spoor_handler_library_after_fork(void);

/* The process ends. It is called once more where the library's end came before. */
void spoor_handler_library_end(void);

#endif
