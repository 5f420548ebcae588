/* SPDX-License-Identifier: MIT */
/*
 * callers.h - the recorder's socket: accepts connections of traced processes and takes their pools.
 *
 * Does not wait for silent callers, because others may have sent something. Only the listener thread
 * calls these functions.
 */
#ifndef SPOOR_RECORDER_CALLERS_H
#define SPOOR_RECORDER_CALLERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define RECORDER_CALLERS_MAX 64u	/* silent ones; if there are more, the oldest one is dropped */

/* A process that has connected and has not sent its pool yet. */
struct recorder_caller {
	int connection;
	pid_t process_id;
	int64_t until_ns;
};

struct recorder_callers {
	int socket;
	int epoll;		/* where connections are added; their event data is this struct */
	void *context;
	bool (*may_call)(void *context, uid_t user);
	/* Takes a pool. Owns @fd if it returns 0, and not if it returns a negative errno. */
	int (*take)(void *context, int fd, const char *folder, pid_t process_id);
	/* Makes a folder for a process (@path is null), or a file. Returns 0, or for a file a descriptor, or a
	 * negative errno. @folder receives the folder's path. */
	int (*make)(void *context, pid_t process_id, const char *path, char *folder);
	/* Takes the file @fd of a module. Owns @fd. */
	void (*keep)(void *context, int fd, const char *path);
	int door;		/* -1: none. Processes without access to the socket use it; set at any time */
	struct recorder_caller list[RECORDER_CALLERS_MAX];	/* in order of arrival */
	unsigned int count;
	uint64_t refused;	/* processes that may not connect */
	pid_t refused_last;	/* the last one of them */
};

/*
 * recorder_callers_accept - accepts all waiting connections.
 *
 * If there is no room, connections and their pools stay in the queue until another process ends, or
 * until a caller has sent its message or was silent for too long.
 *
 * Returns whether none is left.
 */
bool recorder_callers_accept(struct recorder_callers *callers);

/* Handles what caller number @at has sent meanwhile, and closes its connection. */
void recorder_callers_leave(struct recorder_callers *callers, unsigned int at);

#endif
