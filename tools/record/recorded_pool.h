/* SPDX-License-Identifier: MIT */
/*
 * recorded_pool.h - one traced process's pool in the recorder, and the thread that
 * drains it into the process's folder.
 *
 * The thread goes on until recorded_pool_stop: whoever has the pool looks out for the
 * end of its process, by `pidfd`. All functions are for one thread at a time.
 */
#ifndef SPOOR_RECORDED_POOL_H
#define SPOOR_RECORDED_POOL_H

#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>

#include "live/call_rates.h"
#include "base/command_name.h"
#include "drain/drain.h"
#include "record/drainer_mark.h"
#include "record/inner_ids.h"
#include "format/mailbox.h"
#include "record/recorder.h"

struct recorded_pool {
	struct recorded_pool *next;	/* the recorder's */
	pthread_t thread;
	struct spoor_pool *pool;
	size_t pool_bytes;
	int pool_fd;		/* for spoor ctl: the process has closed its own */
	int events_fd;
	int pidfd;		/* of the process; -1: it cannot be watched */
	pid_t process_id;	/* as we see it */
	char command[COMMAND_NAME_MAX];	/* the kernel's name of it; "": not known */
	char *folder;		/* its name in the trace */
	uint64_t number;	/* the recorder's: how many have come */
	int ending;		/* nobody logs any more, or nobody is waited for */
	struct drainer_mark mark;
	struct spoor_drain *drain;
	uint32_t mail_taken;		/* the mailbox's `asked` of the last request that was taken */
	struct inner_ids *ids;		/* null: threads are called here as in there */
	struct call_rates *rates;	/* null: functions may be called as often as they are */
	struct spoor_mail mail;
};

/*
 * recorded_pool_begin - begins to drain a pool that a process has sent.
 * @fd:          the pool, which may be anything; the recorded pool's on return of 0
 * @folder:      where the events go
 * @user, @group: whose the events file is to be
 * @limit:        how much may be written; lives as long
 * @max_rate:     calls a second of each function; 0: any number
 *
 * `ending` is set where the process has ended already.
 *
 * Return: 0, -EBADMSG where it is no pool, -ETXTBSY where its size is not sealed, or
 * another negative errno.
 */
int recorded_pool_begin(struct recorded_pool **pool, int fd, const char *folder, pid_t process_id, uid_t user,
			gid_t group, struct spoor_drain_limit *limit, uint64_t max_rate);

/* recorded_pool_stop - nobody logs into it any more, or nobody is waited for: drains what is left. */
void recorded_pool_stop(struct recorded_pool *pool);

/* Adds what came of it so far. */
void recorded_pool_add(const struct recorded_pool *pool, struct recorder_totals *totals);

/* recorded_pool_end - of one that is stopped: adds what came of all to @totals, frees everything. */
void recorded_pool_end(struct recorded_pool *pool, struct recorder_totals *totals);

#endif
