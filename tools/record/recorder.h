/* SPDX-License-Identifier: MIT */
/*
 * recorder.h - drains the pools of the processes that `spoor record` started.
 *
 * Every traced process hands its pool over (recorder_protocol.h); one thread a
 * pool drains it into the process's folder. The pools are this process's
 * from then on: a traced process may be killed at any instruction. When it ends,
 * its pool is drained and let go: a build of ten thousand processes takes no more
 * memory than those that run at one time.
 */
#ifndef SPOOR_RECORDER_H
#define SPOOR_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/recorder_door.h"

struct recorder;

struct recorder_totals {
	uint64_t events, lost, bytes;
	int error;		/* the first one of writing, as an errno; 0: none */
	bool full;		/* something had no room within recorder_limit */
	uint64_t refused;	/* processes of other users, of which nothing is recorded */
};

/*
 * recorder_begin - listens for processes to trace.
 * @name: where the socket's name is returned, for SPOOR_RUNTIME_RECORDER
 *
 * Return: 0, or a negative errno: then every process drains its own pool.
 */
int recorder_begin(struct recorder **recorder, char *name, unsigned int size);

/*
 * recorder_place - processes that do not see the trace directory get their folders from here on.
 * @by_us: so do those that see it: their numbers are others than ours, and so would be their folders' names
 * @name:  of recorder_begin; more is appended to it, for SPOOR_RUNTIME_RECORDER
 *
 * Return: 0 or a negative errno.
 */
int recorder_place(struct recorder *recorder, const char *trace_path, bool by_us, char *name, unsigned int size);

/*
 * recorder_open_door - a second way in, for processes in other name spaces.
 * @fd: one end of a pair of datagram sockets; the recorder's from now on. The other one is theirs
 *      (attach/recorder_door.h). A recorder has one door.
 *
 * Return: 0 or a negative errno.
 */
int recorder_open_door(struct recorder *recorder, int fd);

/* At most so many bytes of events are written from now on; what is more is counted as lost. */
void recorder_limit(struct recorder *recorder, uint64_t bytes);

/* Whether that was not enough. */
bool recorder_is_full(const struct recorder *recorder);

/* Functions that are called more often than that in a second are found; 0: none are. Of pools to come. */
void recorder_max_rate(struct recorder *recorder, uint64_t calls);

/* Functions of one process that were found. */
struct recorder_hot {
	uint64_t pool;			/* its number */
	pid_t process_id;
	char folder[64];		/* its name in the trace */
	uint32_t indexes[256];
	size_t count;
};

/* recorder_hot - takes some, each once. Return: whether there are any. */
bool recorder_hot(struct recorder *recorder, struct recorder_hot *hot);

/* One of them is dormant now: the trace is to say so. */
void recorder_dormant(struct recorder *recorder, const struct recorder_hot *hot, uint32_t index);

/* What was written so far, of processes that have ended and those that run. */
void recorder_progress(struct recorder *recorder, struct recorder_totals *totals);

/* The process, one that has not ended, of the first pool that came after number *@after, which becomes that
 * pool's; 0 for none. */
pid_t recorder_next(struct recorder *recorder, uint64_t *after);

/*
 * recorder_pool - whether the pool of a process is drained still.
 * @folder: its folder's name in the trace
 * @fd:     null, or where a descriptor of it is returned, which is the caller's; -1 with errno
 */
bool recorder_pool(struct recorder *recorder, const char *folder, int *fd);

/* Takes pools of this user's processes as well; what is written for them is written as theirs. */
void recorder_allow(struct recorder *recorder, uid_t user, gid_t group);

/* How many traced processes are still running. */
unsigned int recorder_living(struct recorder *recorder);

/* Whether a process's pool is being drained, and that process watched. */
bool recorder_drains(struct recorder *recorder, pid_t process_id);

/* A descriptor that can be read from when that has changed; reading takes the news. */
int recorder_changed_fd(const struct recorder *recorder);

/*
 * recorder_end - drains what is left and frees everything.
 *
 * Waits for no process: what one that is still running logs from now on stays
 * unread.
 */
void recorder_end(struct recorder *recorder, struct recorder_totals *totals);

#endif
