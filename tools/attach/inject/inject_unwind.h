/* SPDX-License-Identifier: MIT */
/*
 * inject_unwind.h - gives libunwind the unwind tables of a process: from its memory if its files have other paths
 * than ours, as in a container; else from its files.
 */
#ifndef SPOOR_TOOLS_INJECT_UNWIND_H
#define SPOOR_TOOLS_INJECT_UNWIND_H

#include <libunwind-ptrace.h>

#include "attach/target.h"

/* inject_unwind_use - selects the process for later walks of the calling thread. @target: null for none */
void inject_unwind_use(const struct target *target);

/* unw_accessors_t.find_proc_info, for an address space of _UPT_accessors. */
int inject_unwind_find(unw_addr_space_t space, unw_word_t address, unw_proc_info_t *info, int need, void *context);

#endif
