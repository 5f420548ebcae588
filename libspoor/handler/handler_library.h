/* SPDX-License-Identifier: MIT */
/*
 * handler_library.h - the library that the configuration's `handler` names: loads
 * it, tells it of functions, and passes events on (spoor_handler.h).
 *
 * Invariants
 *   I1  Nothing of the library's, and nothing of the dynamic linker's, is called
 *       under the registry's lock; nobody waits for a call of it.
 *   I2  A function's sleds stay dormant until the library has been told of it. So
 *       choosing a function takes two steps: spoor_handler_modules keeps
 *       it back, spoor_handler_library_settle tells, and applies the choice again.
 *   I3  The library's own module is never patched.
 */
#ifndef SPOOR_HANDLER_LIBRARY_H
#define SPOOR_HANDLER_LIBRARY_H

#include "module/observer.h"

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

/* Tells of what was kept back, and patches it. Not under the lock. Return: functions patched. */
long spoor_handler_library_settle(void);

/* In a forked child, under the lock: what another thread was about to tell is told anew. */
void spoor_handler_library_after_fork(void);

/* The process ends. It is called once more where the library's end came before. */
void spoor_handler_library_end(void);

/* Keeps back what the library has not been told of, and tells it of modules that go. */
extern const struct spoor_module_observer spoor_handler_modules;

#endif
