/* SPDX-License-Identifier: MIT */
/* status_page.h - writes what a process says of itself into the header of its pool (format/status_page_format.h). */
#ifndef SPOOR_BOARD_H
#define SPOOR_BOARD_H

#include "format/status_page_format.h"

struct spoor_instance;

/* The process's side, under the registry's lock; nothing happens while there is no pool. */

/* What a new module will be called there. */
void spoor_board_name(struct spoor_board_name *name, const char *path, const char *soname);

/* All of it, for a pool that is new. */
void spoor_board_begin(const char *folder, int recorded);

/* What is said of one module: it came, it went, or other functions of it are patched. Calls
 * nothing of libc, for a program's own strlen may be traced by now. */
void spoor_board_module(const struct spoor_instance *instance);

/* The mode in force. Calls nothing of libc, either. */
void spoor_board_mode(void);

#endif
