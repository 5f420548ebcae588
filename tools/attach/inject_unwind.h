/* SPDX-License-Identifier: MIT */
/*
 * inject_unwind.h - where libunwind reads how a function's frame is laid out: in the memory of a
 * process whose files have other paths than ours, a container's; else in its files.
 */
#ifndef SPOOR_TOOLS_INJECT_UNWIND_H
#define SPOOR_TOOLS_INJECT_UNWIND_H

#include <libunwind-ptrace.h>

#include "attach/target.h"

/* inject_unwind_use - from here on the calling thread's walks are through this process. @target: null for none */
void inject_unwind_use(const struct target *target);

/* For an address space of _UPT_accessors: unw_accessors_t.find_proc_info. */
int inject_unwind_find(unw_addr_space_t space, unw_word_t address, unw_proc_info_t *info, int need, void *context);

#endif
