/* SPDX-License-Identifier: MIT */
/* text_pages.h - makes text writable, and what was written there seen. */
#ifndef SPOOR_PATCH_TEXT_H
#define SPOOR_PATCH_TEXT_H

#include "patch/sled_index.h"

/*
 * spoor_patch_begin - asks the kernel for what patching needs. Cheap before
 * there are threads (5 us), expensive after (10 ms).
 */
void spoor_patch_begin(void);

/* Every core sees the text as it is now before it executes on. */
void spoor_patch_synchronise(void);

/*
 * spoor_patch_is_allowed - whether text may be made writable here, and closed again.
 * Context: under the registry's lock.
 */
bool spoor_patch_is_allowed(void);

/*
 * spoor_patch_open_text - lets the text of a module within [@begin, @end) be written to.
 * @fresh: so many places of it will be written to for the first time
 *
 * Return: 0 or the negative errno of a refused mprotect. Context: under the registry's lock.
 */
int spoor_patch_open_text(const struct spoor_sleds *sleds, uintptr_t begin, uintptr_t end, uint64_t fresh);
void spoor_patch_close_text(const struct spoor_sleds *sleds, uintptr_t begin, uintptr_t end);

/*
 * spoor_patch_text_is_writable - whether the program keeps text in [@begin, @end) writable, as one does that
 * patches itself: then it is not to be closed. Asks 32 pages at most.
 */
bool spoor_patch_text_is_writable(uintptr_t begin, uintptr_t end);

#endif
