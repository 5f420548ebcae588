/* SPDX-License-Identifier: MIT */
/* foreign_sleds.h - finds modules that have sleds and are not traced. */
#ifndef SPOOR_FOREIGN_SLEDS_H
#define SPOOR_FOREIGN_SLEDS_H

#include <stdint.h>

/* The dynamic linker's data for debuggers, or null. @executable: from dl_iterate_phdr */
struct dl_phdr_info;
struct r_debug;
const struct r_debug *spoor_linker_debug(const struct dl_phdr_info *executable);

/*
 * spoor_foreign_sleds_record - writes to the trace the name of each loaded module that has
 * sleds and is not registered: it has no stub, or is in another name space.
 *
 * Context: in one thread at the end of the process; not under the registry's lock, because
 * the dynamic linker's lock is taken first.
 */
void spoor_foreign_sleds_record(void);

/* Writes the name of one such module. @sleds: number of sleds, and flags (trace_format.h). In one thread only. */
void spoor_trace_foreign(const char *path, uint64_t sleds);

#endif
