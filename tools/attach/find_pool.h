/* SPDX-License-Identifier: MIT */
/*
 * find_pool.h - finds a running traced process and its pool, by the mappings of the process.
 *
 * The pool is opened as a file, and may be forged: sizes, owner and contents are checked before any use, and each
 * reader checks all other values.
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
	pid_t recorder;			/* the recorder with this pool; 0: the service thread drains it */
	struct spoor_pool *pool;	/* the whole pool; null if the process has no pool */
	size_t pool_bytes;
	uint32_t slice_count;		/* checked */
	char thread[64];		/* the folder in /proc of a running thread */
	char runtime[PATH_MAX];		/* path of libspoor.so in the process; "" for none */
};

/* The state of a process with libspoor.so and without a pool, for messages. */
#define LIVE_POOL_NONE                                                                                     \
	"stores no events: it is dormant (its mode is off, or its recording has ended), counts its calls " \
	"since it started, or passes its events to a handler"

/*
 * live_pool_open - finds a process that we may control, and its pool if it has one.
 *
 * Returns 0, or -1 after a message.
 */
int live_pool_open(struct live_pool *live, pid_t process_id);
void live_pool_close(struct live_pool *live);

/*
 * live_pool_map - maps the pool in @fd.
 *
 * Returns 0, -EBADMSG if it is no pool, or a negative errno of fstat or mmap.
 */
int live_pool_map(struct live_pool *live, int fd);

#endif
