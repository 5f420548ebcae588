/* SPDX-License-Identifier: MIT */
/* dwarf_entries.h - what the readers of names and of types share when they read debug information. */
#ifndef SPOOR_READER_DWARF_ENTRIES_H
#define SPOOR_READER_DWARF_ENTRIES_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* Gets the address at which a subprogram begins. Returns whether it has one. */
bool dwarf_subprogram_entry(Dwarf_Die *die, Dwarf_Addr *entry);

/* Returns whether functions may be nested in an entry with this tag. */
bool dwarf_may_hold_functions(int tag);

/*
 * Opens the file into which dwz moved information that several files share.
 * @alt, @fd: receive the opened file, which the caller closes; unchanged if there is none
 *
 * Returns null, or the error, without a full stop.
 */
const char *dwarf_find_shared(Dwarf *dwarf, Dwarf **alt, int *fd);

#endif
