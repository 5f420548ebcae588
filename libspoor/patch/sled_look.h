/* SPDX-License-Identifier: MIT */
/* sled_look.h - a function's sleds before they are patched for the first time. */
#ifndef SPOOR_SLED_LOOK_H
#define SPOOR_SLED_LOOK_H

#include "patch/sled_index.h"

/*
 * spoor_sleds_look - which of a function's sleds, [@begin, @end) of the module's index, may be patched.
 * The others are left alone from here on, and counted. Where an entry is, its exits are as well:
 * nobody could tell what they are exits of.
 */
void spoor_sleds_look(struct spoor_sleds *sleds, uint32_t *begin, const uint32_t *end);

#endif
