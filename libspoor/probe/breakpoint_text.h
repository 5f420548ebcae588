/* SPDX-License-Identifier: MIT */
/* breakpoint_text.h - writes breakpoints into a module's text, and removes them. */
#ifndef SPOOR_BREAKPOINT_TEXT_H
#define SPOOR_BREAKPOINT_TEXT_H

#include <link.h>
#include <stdbool.h>

#include "probe/probe.h"

/*
 * spoor_probe_text_switch - writes or removes the breakpoints of all sites from @first on, as wanted, and
 * switches their semaphores. If a site's nop was replaced by other code, that code stays.
 *
 * Returns 0, or a negative errno of mprotect(2). Context: under the dynamic linker's lock and the
 * registry's.
 */
int spoor_probe_text_switch(const struct dl_phdr_info *object, struct spoor_probe_site *first);

/* The address of the return instruction in the function at @address, which the dynamic linker calls to inform
 * debuggers. Returns 0 if the function is in another object, or has more than a return. */
uintptr_t spoor_probe_text_return(const struct dl_phdr_info *object, uintptr_t address);

/* Writes a breakpoint over that return, or removes it. Returns whether that succeeded. */
bool spoor_probe_text_watch(const struct dl_phdr_info *object, uintptr_t address, bool on);

#endif
