/* SPDX-License-Identifier: MIT */
/* patch.h - patches the chosen functions of a module and makes the others dormant. */
#ifndef SPOOR_PATCH_H
#define SPOOR_PATCH_H

#include "patch/sled_index.h"

/*
 * spoor_patch_apply - patches every function whose bit is set in @target and makes every other dormant.
 * @target: bits by local ID; null: no function
 * @once:   patches only entry sleds, which make themselves dormant again: so the text stays writable
 *
 * Calls mprotect twice for each text segment, and membarrier at most twice for every 4096 functions.
 *
 * Return: the number of functions that changed, or the negative errno of mprotect: then none changed.
 *
 * Context: under the registry's lock, with the module mapped, while any number of threads run through its
 * sleds.
 */
long spoor_patch_apply(struct spoor_sleds *sleds, const uint64_t *target, bool once);

#endif
