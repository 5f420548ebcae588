/* SPDX-License-Identifier: MIT */
/*
 * find_pool.h - a running process that is traced, as `spoor ctl` finds it: by its mappings.
 *
 * The pool is opened as a file, and may be the work of a stranger: sizes, owner and
 * contents are checked before anything of it is used, and everything else is bounded by
 * whoever reads it.
 */
#ifndef SPOOR_TOOLS_ATTACH_FIND_POOL_H
#define SPOOR_TOOLS_ATTACH_FIND_POOL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/pool_format.h"

struct live_pool {
	pid_t process_id;
	pid_t recorder;			/* whose pool it is; 0: a thread of the process drains it */
	struct spoor_pool *pool;	/* mapped whole; null while there is none */
	size_t pool_bytes;
	uint32_t slice_count;		/* checked */
	char thread[64];		/* of one that runs, its folder in /proc */
	char runtime[PATH_MAX];		/* libspoor.so, as the process has it; "" for none */
};

/* What a process that has libspoor.so and no pool does, as far as that tells. */
#define LIVE_POOL_NONE                                                                                       \
	"stores no events now: it is dormant (its mode is off, or a recording of it has ended), counts its " \
	"calls since it began, or a handler has its events"

/*
 * live_pool_open - finds a process that is ours to control, and its pool where it has one.
 *
 * Return: 0, or -1 after a message.
 */
int live_pool_open(struct live_pool *live, pid_t process_id);
void live_pool_close(struct live_pool *live);

/*
 * live_pool_map - maps the pool in @fd, if it is one.
 *
 * Return: 0, -EBADMSG, or a negative errno of fstat or mmap.
 */
int live_pool_map(struct live_pool *live, int fd);

#endif
