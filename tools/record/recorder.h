/* SPDX-License-Identifier: MIT */
/*
 * recorder.h - drains the pools of the processes that `spoor record` started.
 *
 * Every traced process sends its pool (recorder_protocol.h), and one thread for each pool drains it
 * into the process's folder. The recorder keeps the pool, so the process may be killed at any
 * instruction. When the process ends, its pool is drained and freed: a build of ten thousand processes
 * takes no more memory than those that run at the same time.
 */
#ifndef SPOOR_RECORDER_H
#define SPOOR_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/recorder_door.h"

struct recorder;
struct recorded_functions;

struct recorder_totals {
	uint64_t events, lost, bytes;
	int error;		/* errno of the first failed write; 0: none */
	bool full;		/* recorder_limit was reached */
	uint64_t refused;	/* processes of other users, which were not recorded */
};

/*
 * recorder_begin - begins to listen for traced processes.
 * @name: receives the socket's name, for SPOOR_RUNTIME_RECORDER
 *
 * Returns 0, or a negative errno: then every process drains its own pool.
 */
int recorder_begin(struct recorder **recorder, char *name, unsigned int size);

/*
 * recorder_place - from now on, the recorder makes folders for processes that do not see the trace
 * directory.
 * @by_us: also for those that see it, because their process IDs, and so their folders' names, differ
 *         from ours
 * @name:  from recorder_begin; is extended, for SPOOR_RUNTIME_RECORDER
 *
 * Returns 0 or a negative errno.
 */
int recorder_place(struct recorder *recorder, const char *trace_path, bool by_us, char *name, unsigned int size);

/*
 * recorder_open_door - opens a second way to connect, for processes in other name spaces. A recorder
 * has one door.
 * @fd: one end of a pair of datagram sockets, which the recorder owns from now on. The processes have
 *      the other end (attach/recorder_door.h).
 *
 * Returns 0 or a negative errno.
 */
int recorder_open_door(struct recorder *recorder, int fd);

/* Writes at most this many bytes of events from now on. Further events count as lost. */
void recorder_limit(struct recorder *recorder, uint64_t bytes);

/* Returns whether the limit was reached. */
bool recorder_is_full(const struct recorder *recorder);

/* Finds out which functions occur in the events of pools taken later. At the end, @list has a set for each of their
 * processes; the caller frees the sets. */
void recorder_functions(struct recorder *recorder, struct recorded_functions **list);

/* Finds functions with more calls in a second; 0: finds none. For pools taken later. */
void recorder_max_rate(struct recorder *recorder, uint64_t calls);

/* Functions of one process that are called too often. */
struct recorder_hot {
	uint64_t pool;			/* its number */
	pid_t process_id;
	char folder[64];		/* its name in the trace */
	uint32_t indexes[256];
	size_t count;
};

/* recorder_hot - gives some of them, each once. Returns whether there are any. */
bool recorder_hot(struct recorder *recorder, struct recorder_hot *hot);

/* Records that one of them is dormant now. */
void recorder_dormant(struct recorder *recorder, const struct recorder_hot *hot, uint32_t index);

/* Gives the amount written so far, for ended and running processes. */
void recorder_progress(struct recorder *recorder, struct recorder_totals *totals);

/*
 * Finds the first pool with a number above *@after whose process is still running, and sets *@after to its number.
 * Returns the ID of that process, or 0 if there is no such pool.
 */
pid_t recorder_next(struct recorder *recorder, uint64_t *after);

/*
 * recorder_pool - returns whether the pool of a process is still being drained.
 * @folder: its folder's name in the trace
 * @fd:     null, or receives a descriptor, which the caller closes; -1 with errno
 */
bool recorder_pool(struct recorder *recorder, const char *folder, int *fd);

/* Takes pools of this user's processes too, and writes their files as this user. */
void recorder_allow(struct recorder *recorder, uid_t user, gid_t group);

/* Returns how many traced processes are still running. */
unsigned int recorder_living(struct recorder *recorder);

/* Returns whether a process's pool is being drained, and the process is watched. */
bool recorder_drains(struct recorder *recorder, pid_t process_id);

/* Returns a descriptor that becomes readable when the number changes. Reading it clears the event. */
int recorder_changed_fd(const struct recorder *recorder);

/*
 * recorder_end - drains the rest and frees everything.
 *
 * Waits for no process. Later events of a running process are not read.
 */
void recorder_end(struct recorder *recorder, struct recorder_totals *totals);

#endif
