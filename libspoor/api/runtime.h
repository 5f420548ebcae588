/* SPDX-License-Identifier: MIT */
/* runtime.h - what there is once in a process: configuration, begin, end. */
#ifndef SPOOR_RUNTIME_H
#define SPOOR_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "config/configuration.h"

/*
 * spoor_runtime_begin - reads the configuration and prepares for patching. The
 * first module that registers may come before libspoor.so's own constructor.
 *
 * Return: 0, or -ESHUTDOWN where the runtime is off for good (after a message; what is wrong with the
 * configuration is said to the first who calls this, and not where libspoor.so is loaded for nothing).
 */
int spoor_runtime_begin(void);

/* The same where there is a module to be traced: begins what the events go to. Calls
 * the dynamic linker: not under the registry's lock. */
int spoor_runtime_begin_tracing(void);

/* Whether the program has not deinitialised it since. */
bool spoor_runtime_is_begun(void);
void spoor_runtime_set_begun(bool begun);

#endif
