/* SPDX-License-Identifier: MIT */
/* text_pages.h - makes text writable, and makes changes of the text visible to all processors. */
#ifndef SPOOR_TEXT_PAGES_H
#define SPOOR_TEXT_PAGES_H

#include "patch/sled_index.h"

/*
 * spoor_patch_begin - registers with the kernel for membarrier. Takes 5 us before there are threads, and
 * 10 ms after.
 */
void spoor_patch_begin(void);

/* Makes every processor execute the text as it is now. */
void spoor_patch_synchronise(void);

/*
 * spoor_patch_is_allowed - whether this process can make text writable and read-only again. Context: under
 * the registry's lock.
 */
bool spoor_patch_is_allowed(void);

/*
 * spoor_patch_open_text - makes the text of a module within [@begin, @end) writable.
 * @fresh: number of functions that are written for the first time
 *
 * Return: 0 or the negative errno of mprotect. Context: under the registry's lock.
 */
int spoor_patch_open_text(const struct spoor_sleds *sleds, uintptr_t begin, uintptr_t end, uint64_t fresh);
void spoor_patch_close_text(const struct spoor_sleds *sleds, uintptr_t begin, uintptr_t end);

/*
 * spoor_patch_text_is_writable - whether the program itself keeps text in [@begin, @end) writable. Then
 * the caller must leave it writable. Tests at most 32 pages.
 */
bool spoor_patch_text_is_writable(uintptr_t begin, uintptr_t end);

#endif
