/* SPDX-License-Identifier: MIT */
/* sled_check.h - checks a function's sleds before they are patched for the first time. */
#ifndef SPOOR_SLED_CHECK_H
#define SPOOR_SLED_CHECK_H

#include "patch/sled_index.h"

/*
 * spoor_sleds_check - checks which sleds of a function, [@begin, @end) of the module's index, can be
 * patched. The others are marked and counted, and stay dormant for ever. If an entry stays dormant, so do
 * its exits: without the entry a reader could not match them.
 */
void spoor_sleds_check(struct spoor_sleds *sleds, uint32_t *begin, const uint32_t *end);

#endif
