/* SPDX-License-Identifier: MIT */
/*
 * status_page_format.h - the state of a process in the header of its pool, for `spoor ctl status`.
 *
 * The tool only reads the page, so it works on a process that hangs.
 *
 * The process writes the page under the registry's lock. Any process may read it at any time, so a
 * reader bounds every number and ends every text.
 */
#ifndef SPOOR_STATUS_PAGE_FORMAT_H
#define SPOOR_STATUS_PAGE_FORMAT_H

#include <linux/limits.h>

#include "format/pool_memory.h"

#define SPOOR_STATUS_NAME_BYTES 80u
#define SPOOR_STATUS_MODULES_MAX 288u

struct spoor_status_page_name {
	char text[SPOOR_STATUS_NAME_BYTES];	/* soname, or file name; only its end if it is too long */
};

struct spoor_status_page_mode {
	char text[16];
};

struct spoor_status_page_module {
	uint32_t count;		/* number of functions; 0: the module is not loaded */
	uint32_t enabled;	/* number of functions that are patched */
	struct spoor_status_page_name name;
};

struct spoor_status_page {
	char folder[PATH_MAX];	/* the process's folder in the trace */
	struct spoor_status_page_mode mode;
	uint32_t recorded;	/* nonzero: a recorder drains, and not a thread of the process */
	uint32_t module_count;	/* number of used elements of `modules` */
	uint32_t modules_left_out;	/* number of modules that did not fit */
	uint32_t padding;
	uint64_t enabled;	/* number of patched functions in all modules */
	struct spoor_status_page_module modules[SPOOR_STATUS_MODULES_MAX];
};

_Static_assert(SPOOR_POOL_BOARD_OFFSET + sizeof(struct spoor_status_page) <= SPOOR_POOL_MEMORY_OFFSET, "must fit");

static inline struct spoor_status_page *spoor_pool_status_page(struct spoor_pool *pool)
{
	return (struct spoor_status_page *)((char *)pool + SPOOR_POOL_BOARD_OFFSET);
}

#endif
