/* SPDX-License-Identifier: MIT */
/*
 * captured_libraries.h - which functions of libraries, whose calls are recorded, have been decided about.
 *
 * Unlike the functions of a module with sleds, these come one by one: when a module calls them. Under the registry's lock.
 */
#ifndef SPOOR_CAPTURED_LIBRARIES_H
#define SPOOR_CAPTURED_LIBRARIES_H

#include "module/registry.h"

/* Returns the functions that are called and that no earlier call has returned, bits by local ID; null if there are none. Valid
 * until the next call. */
const uint64_t *spoor_captured_library_new_calls(struct spoor_instance *library);

/* Whether a module calls a captured function of a library through a call slot: its wrapper's sleds have the function's index. */
bool spoor_captured_library_is_called(const struct spoor_instance *caller);

/* Notes that functions of a library have captures that the trace may not have. */
void spoor_captured_library_changed(const struct spoor_instance *library);

/* Returns whether that was noted since the last call for the library. */
bool spoor_captured_library_take_change(const struct spoor_instance *library);

/* Forgets which functions have been decided about. */
void spoor_captured_libraries_renew(void);

#endif
