/* SPDX-License-Identifier: MIT */
/*
 * recorded_pool.h - one traced process's pool in the recorder, and the thread that
 * drains it into the process's folder.
 *
 * The thread goes on until recorded_pool_end: whoever has the pool looks out for the
 * end of its process, by `pidfd`. Both functions are for one thread at a time.
 */
#ifndef SPOOR_RECORDED_POOL_H
#define SPOOR_RECORDED_POOL_H

#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>

#include "drain.h"
#include "drainer_mark.h"
#include "mailbox.h"
#include "recorder.h"

struct recorded_pool {
	struct recorded_pool *next;	/* the recorder's */
	pthread_t thread;
	struct spoor_pool *pool;
	size_t pool_bytes;
	int pool_fd;		/* for spoor ctl: the process has closed its own */
	int events_fd;
	int pidfd;		/* of the process; -1: it cannot be watched */
	int ending;		/* nobody logs any more, or nobody is waited for */
	struct drainer_mark mark;
	struct spoor_drain drain;
	struct spoor_mail mail;
};

/*
 * recorded_pool_begin - begins to drain a pool that a process has sent.
 * @fd:          the pool, which may be anything; the recorded pool's on return of 0
 * @folder:      where the events go
 * @user, @group: whose the events file is to be
 *
 * `ending` is set where the process has ended already.
 *
 * Return: 0, -EBADMSG where it is no pool, -ETXTBSY where its size is not sealed, or
 * another negative errno.
 */
int recorded_pool_begin(struct recorded_pool **pool, int fd, const char *folder, pid_t process_id, uid_t user,
			gid_t group);

/*
 * recorded_pool_end - nobody logs into it any more, or nobody is waited for: drains what
 * is left, adds what came of all to @totals, frees everything.
 */
void recorded_pool_end(struct recorded_pool *pool, struct recorder_totals *totals);

#endif
