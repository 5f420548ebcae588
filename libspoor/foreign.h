/* SPDX-License-Identifier: MIT */
/* foreign.h - modules that have sleds and are left alone. */
#ifndef SPOOR_FOREIGN_H
#define SPOOR_FOREIGN_H

/*
 * spoor_foreign_record - names in the trace each module that is loaded, has sleds, and is
 * not registered: it has no stub, or is in a name space of its own.
 *
 * Context: at the process's end, in one thread; not under the registry's lock, for the
 * dynamic linker's is taken first.
 */
void spoor_foreign_record(void);

#endif
