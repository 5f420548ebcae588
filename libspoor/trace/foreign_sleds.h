/* SPDX-License-Identifier: MIT */
/* foreign_sleds.h - modules that have sleds and are left alone, and how to find them. */
#ifndef SPOOR_FOREIGN_H
#define SPOOR_FOREIGN_H

#include <stdint.h>

/* What the dynamic linker keeps for debuggers; null where it does not. @executable: dl_iterate_phdr's */
struct dl_phdr_info;
struct r_debug;
const struct r_debug *spoor_linker_debug(const struct dl_phdr_info *executable);

/*
 * spoor_foreign_sleds_record - names in the trace each module that is loaded, has sleds, and is
 * not registered: it has no stub, or is in a name space of its own.
 *
 * Context: at the process's end, in one thread; not under the registry's lock, for the
 * dynamic linker's is taken first.
 */
void spoor_foreign_sleds_record(void);

/* Names one. @sleds: how many it has, and flags (trace_format.h). In one thread. */
void spoor_trace_foreign(const char *path, uint64_t sleds);

#endif
