/* SPDX-License-Identifier: MIT */
/*
 * callers.h - the recorder's socket: processes that call, and hand their pools over.
 *
 * Nobody is waited for who says nothing: others have something to say. All functions are the
 * listener's.
 */
#ifndef SPOOR_RECORDER_CALLERS_H
#define SPOOR_RECORDER_CALLERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define RECORDER_CALLERS_MAX 64u	/* that say nothing; the first of them goes where there are more */

/* A process that has called, and has not sent its pool yet. */
struct recorder_caller {
	int connection;
	pid_t process_id;
	int64_t until_ns;
};

struct recorder_callers {
	int socket;
	int epoll;		/* where connections are added; their data is this struct */
	void *context;
	bool (*may_call)(void *context, uid_t user);
	/* A pool has come; @fd is the taker's where that returns 0, and not a negative errno. */
	int (*take)(void *context, int fd, const char *folder, pid_t process_id);
	/* A process asks for a folder (@path is null), or a file. Return: 0, or for a file a descriptor, or a negative
	 * errno; @folder gets the folder's path. */
	int (*make)(void *context, pid_t process_id, const char *path, char *folder);
	int door;		/* -1: none. Who does not find the socket sends connections through it; set at any time */
	struct recorder_caller list[RECORDER_CALLERS_MAX];	/* the first to come first */
	unsigned int count;
	uint64_t refused;	/* processes that may not call, */
	pid_t refused_last;	/* the last of them */
};

/*
 * recorder_callers_accept - takes all that have come.
 *
 * Where there is no room they stay in the queue, and their pools with them, until another
 * process ends, or one that has called has said what it has to say, or nothing for too long.
 *
 * Return: whether none is left.
 */
bool recorder_callers_accept(struct recorder_callers *callers);

/* What caller number @at has sent meanwhile is taken; from here on it is told that nobody listens. */
void recorder_callers_leave(struct recorder_callers *callers, unsigned int at);

#endif
