/* SPDX-License-Identifier: MIT */
/* breakpoint_text.h - breakpoints in a module's text. */
#ifndef SPOOR_PROBE_TEXT_H
#define SPOOR_PROBE_TEXT_H

#include <link.h>
#include <stdbool.h>

#include "probe/probe.h"

/*
 * spoor_probe_text_switch - writes the breakpoints of all sites from @first on that are wanted, or
 * takes them away, with their semaphores. What is no nop now is somebody else's, and stays.
 *
 * Return: 0, or a negative errno of mprotect(2). Context: under the dynamic linker's lock and the
 * registry's.
 */
int spoor_probe_text_switch(const struct dl_phdr_info *object, struct spoor_probe_site *first);

/* What the dynamic linker calls at @address to tell debuggers of what it did returns there; 0 where that
 * is in another object, or does more than to return. */
uintptr_t spoor_probe_text_return(const struct dl_phdr_info *object, uintptr_t address);

/* Writes a breakpoint over that return, or takes it away. Return: whether that was done. */
bool spoor_probe_text_watch(const struct dl_phdr_info *object, uintptr_t address, bool on);

#endif
