/* SPDX-License-Identifier: MIT */
/*
 * recorded_pool.h - one traced process's pool in the recorder, and the thread that drains it into the
 * process's folder.
 *
 * The thread runs until recorded_pool_stop. The owner of the pool waits for the end of the process,
 * with `pidfd`. One thread at a time may call these functions.
 */
#ifndef SPOOR_RECORDED_POOL_H
#define SPOOR_RECORDED_POOL_H

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/types.h>

#include "live/call_rates.h"
#include "base/command_name.h"
#include "drain/drain.h"
#include "record/drainer_mark.h"
#include "record/container/inner_ids.h"
#include "format/mailbox.h"
#include "record/recorded_functions.h"
#include "record/recorder.h"

struct recorded_pool {
	struct recorded_pool *next;	/* the recorder's list */
	pthread_t thread;
	struct spoor_pool *pool;
	size_t pool_bytes;
	int pool_fd;		/* kept for spoor ctl, because the process has closed its own */
	int events_fd;
	int pidfd;		/* of the process; -1: cannot be watched */
	pid_t process_id;	/* in our name space */
	char command[COMMAND_NAME_MAX];	/* the kernel's name of the process; "": unknown */
	char *folder;		/* its name in the trace */
	uint64_t number;	/* number of pools that the recorder had taken before */
	int ending;		/* no thread will log again, or the recorder no longer waits */
	sem_t drained;		/* posted at the thread's end */
	struct drainer_mark mark;
	struct spoor_drain *drain;
	uint32_t mail_taken;		/* the mailbox's `asked` of the last handled request */
	struct inner_ids *ids;		/* null: thread IDs are the same here and in the process */
	struct call_rates *rates;	/* null: calls are not limited */
	struct recorded_functions *functions;	/* those in the events; null: not sought, or memory ran out */
	struct spoor_mail mail;
};

/*
 * recorded_pool_begin - begins to drain a pool that a process has sent.
 * @fd:          the pool, which may be anything; owned by the recorded pool if 0 is returned
 * @folder:      the directory of the events
 * @user, @group: owner of the events file
 * @limit:        how much may be written; must stay valid as long as the pool
 * @max_rate:     calls per second of each function; 0: unlimited
 * @names:        find out which functions occur
 *
 * Sets `ending` if the process has already ended.
 *
 * Returns 0, -EBADMSG if it is not a pool, -ETXTBSY if its size is not sealed, or another negative
 * errno.
 */
int recorded_pool_begin(struct recorded_pool **pool, int fd, const char *folder, pid_t process_id, uid_t user,
			gid_t group, struct spoor_drain_limit *limit, uint64_t max_rate, bool names);

/* recorded_pool_stop - lets the thread drain the rest and end. Called when no thread will log into the pool again,
 * or the recorder no longer waits. */
void recorded_pool_stop(struct recorded_pool *pool);

/* Adds the results so far. */
void recorded_pool_add(const struct recorded_pool *pool, struct recorder_totals *totals);

/* recorded_pool_end - for a stopped pool: adds the final results to @totals, and frees everything but `functions`, which
 * the caller takes before. */
void recorded_pool_end(struct recorded_pool *pool, struct recorder_totals *totals);

#endif
