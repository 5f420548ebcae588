/* SPDX-License-Identifier: MIT */
/* near_trampolines.h - trampolines of handlers that a module has copies of (registration.h). */
#ifndef SPOOR_NEAR_H
#define SPOOR_NEAR_H

#include "format/registration.h"

/*
 * spoor_near_trampolines_find - where a slot of a module leads.
 *
 * Return: @dso's own copy of @trampoline, which is told the handler now set; @trampoline where
 * it has none.
 *
 * Context: the registry is held.
 */
const void *spoor_near_trampolines_find(const struct spoor_dso *dso, const void *trampoline);

/* Tells the copies of all modules what handlers are set; the registry is held. */
void spoor_near_trampolines_update(void);

#endif
