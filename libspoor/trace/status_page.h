/* SPDX-License-Identifier: MIT */
/*
 * status_page.h - writes the traced process's status into the header of its pool.
 *
 * All functions are called under the registry's lock, and do nothing while there is no pool.
 */
#ifndef SPOOR_STATUS_PAGE_H
#define SPOOR_STATUS_PAGE_H

#include "format/status_page_format.h"
#include "module/observer.h"

/* Writes the whole status into a new pool. */
void spoor_status_page_begin(const char *folder, int recorded);

/* Updates the rows of modules. After a module's text has changed, it calls no function of libc: the program's own
 * strlen may be traced by then. */
extern const struct spoor_module_observer spoor_status_page_modules;

#endif
