/* SPDX-License-Identifier: MIT */
/*
 * captured_modules.h - chooses the functions whose arguments and results are stored, when their module first wakes.
 *
 * All functions run under the registry's lock.
 */
#ifndef SPOOR_CAPTURED_MODULES_H
#define SPOOR_CAPTURED_MODULES_H

#include "module/observer.h"

extern const struct spoor_module_observer spoor_capture_modules;

/* Chooses the functions of a module now, if that has not been done. Returns the number of captured functions. */
uint32_t spoor_capture_module(struct spoor_instance *instance);

/* Forgets all choices so far, because the configuration has changed. Calls of functions that are not dormant are recorded
 * without values. */
void spoor_capture_renew(void);

/* Prints the choices that no function matched. @where: words about the process, or "" */
void spoor_capture_unmatched(const char *where);

#endif
