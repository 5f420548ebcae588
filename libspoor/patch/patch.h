/* SPDX-License-Identifier: MIT */
/* patch.h - makes the sleds of a module agree with a choice of functions. */
#ifndef SPOOR_PATCH_H
#define SPOOR_PATCH_H

#include "patch/sled_index.h"

/*
 * spoor_patch_apply - patches every function whose bit is set in @target and
 * makes every other dormant.
 * @target: bits by local ID; null for none
 * @once:   wakes entry sleds alone, which go back to sleep by themselves: the text stays writable for that
 *
 * Two calls of mprotect for each segment of text, and two of membarrier at most for every few thousand functions.
 *
 * Return: how many functions changed, or the negative errno of a refused
 * mprotect: then nothing did.
 *
 * Context: under the registry's lock, with the module mapped, while any number
 * of threads run through its sleds.
 */
long spoor_patch_apply(struct spoor_sleds *sleds, const uint64_t *target, bool once);

#endif
