/* SPDX-License-Identifier: MIT */
/*
 * status_page_format.h - what a process says of itself in the header of its pool, for `spoor ctl status`:
 * nobody has to answer, so it can be asked of a process that hangs.
 *
 * Written under the registry's lock, read by anybody at any time: a reader bounds every
 * number, and ends every text.
 */
#ifndef SPOOR_STATUS_PAGE_FORMAT_H
#define SPOOR_STATUS_PAGE_FORMAT_H

#include <linux/limits.h>

#include "format/pool_format.h"

#define SPOOR_BOARD_NAME_BYTES 80u
#define SPOOR_BOARD_MODULES_MAX 288u

struct spoor_status_page_name {
	char text[SPOOR_BOARD_NAME_BYTES];	/* soname, else file name; its end, where it is too long */
};

struct spoor_status_page_mode {
	char text[16];
};

struct spoor_status_page_module {
	uint32_t count;		/* functions; 0: it is not loaded */
	uint32_t enabled;	/* those of them that are patched */
	struct spoor_status_page_name name;
};

struct spoor_status_page {
	char folder[PATH_MAX];	/* the process's, in the trace */
	struct spoor_status_page_mode mode;
	uint32_t recorded;	/* nonzero: a recorder drains, and not a thread of the process */
	uint32_t module_count;	/* of `modules` in use */
	uint32_t modules_left_out;	/* for which there was no room */
	uint32_t padding;
	uint64_t enabled;	/* functions, of all modules */
	struct spoor_status_page_module modules[SPOOR_BOARD_MODULES_MAX];
};

_Static_assert(SPOOR_POOL_BOARD_OFFSET + sizeof(struct spoor_status_page) <= SPOOR_POOL_INFOS_OFFSET, "it fits");

static inline struct spoor_status_page *spoor_pool_board(struct spoor_pool *pool)
{
	return (struct spoor_status_page *)((char *)pool + SPOOR_POOL_BOARD_OFFSET);
}

#endif
