/* SPDX-License-Identifier: MIT */
/*
 * recorder.c - the drainer outside of the traced processes: takes the pools that they send, and frees
 * those of ended processes.
 */
#define _GNU_SOURCE
#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/message.h"
#include "base/jobs.h"
#include "record/recorded_pool.h"
#include "record/callers.h"
#include "record/module_files.h"
#include "record/process_homes.h"

#define DEAF_MS 100	/* until it tries again to get descriptors, and checks for silent callers */

struct recorder {
	int stop, changed;	/* eventfds */
	bool deaf;		/* ignores the socket, because no descriptors are left */
	pthread_t listener;
	struct spoor_drain_limit limit;
	uint64_t max_rate;
	struct recorded_functions **functions;	/* null: are not sought */
	pthread_mutex_t lock;	/* held to read in other threads, and for each change */
	struct recorded_pool *pools;	/* ... by the listener, until it has ended; newest first */
	uint64_t pool_count;		/* number of pools taken so far */
	struct recorder_totals totals;
	/* Owned by the listener until it has ended. */
	struct recorder_callers callers;
	struct recorder_homes homes;
	struct module_files module_files;
	unsigned int living;	/* other threads read it */
	uid_t user;		/* another user who may send pools */
	gid_t group;
};

static void change_living(struct recorder *recorder, int change)
{
	uint64_t one = 1;

	__atomic_fetch_add(&recorder->living, (unsigned int)change, __ATOMIC_RELAXED);
	if (write(recorder->changed, &one, sizeof(one)) < 0)
		return;		/* an unread event is pending already */
}

/* Waits for the end of a pool's process. */
static void watch(struct recorder *recorder, struct recorded_pool *pool)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = pool };

	if (pool->pidfd < 0)
		return;
	if (epoll_ctl(recorder->callers.epoll, EPOLL_CTL_ADD, pool->pidfd, &event) == 0) {
		change_living(recorder, 1);
		return;
	}
	close(pool->pidfd);
	pool->pidfd = -1;
}

static void let_go(struct recorder *recorder, struct recorded_pool *pool)
{
	struct recorded_pool **at = &recorder->pools;
	bool watched = pool->pidfd >= 0;

	/* The thread drains the rest meanwhile. */
	recorded_pool_stop(pool);
	pthread_mutex_lock(&recorder->lock);
	while (*at != pool)
		at = &(*at)->next;
	*at = pool->next;
	if (pool->functions) {
		recorded_functions_settle(pool->functions);
		pool->functions->next = *recorder->functions;
		*recorder->functions = pool->functions;
		pool->functions = NULL;
	}
	recorded_pool_end(pool, &recorder->totals);
	pthread_mutex_unlock(&recorder->lock);
	if (watched)
		change_living(recorder, -1);
}

/* Takes the pool @fd of a process. Owns @fd if 0 is returned. */
static int take_in(void *context, int fd, const char *folder, pid_t process_id)
{
	struct recorder *recorder = context;
	struct recorded_pool *pool;
	uid_t user = __atomic_load_n(&recorder->user, __ATOMIC_ACQUIRE);
	gid_t group = __atomic_load_n(&recorder->group, __ATOMIC_RELAXED);
	int error;

	/* recorder_place was called before. */
	pthread_mutex_lock(&recorder->lock);
	recorder_homes_came(&recorder->homes, process_id, folder);
	pthread_mutex_unlock(&recorder->lock);
	/* In a folder that the recorder made, only the recorder makes files. */
	if (recorder_homes_is_made(&recorder->homes, process_id, folder)) {
		user = geteuid();
		group = getegid();
	}
	error = recorded_pool_begin(&pool, fd, folder, process_id, user, group, &recorder->limit,
				    __atomic_load_n(&recorder->max_rate, __ATOMIC_RELAXED),
				    __atomic_load_n(&recorder->functions, __ATOMIC_ACQUIRE) != NULL);
	if (error < 0)
		return error;
	pthread_mutex_lock(&recorder->lock);
	pool->number = ++recorder->pool_count;
	pool->next = recorder->pools;
	recorder->pools = pool;
	pthread_mutex_unlock(&recorder->lock);
	watch(recorder, pool);
	if (pool->ending)
		let_go(recorder, pool);
	return 0;
}

static int make(void *context, pid_t process_id, const char *path, char *folder)
{
	struct recorder *recorder = context;

	return path ? recorder_homes_file(&recorder->homes, process_id, path) :
		      recorder_homes_make(&recorder->homes, process_id, folder);
}

static void keep(void *context, int fd, const char *path)
{
	struct recorder *recorder = context;

	module_files_add(&recorder->module_files, fd, path);
}

static bool may_call(void *context, uid_t user)
{
	const struct recorder *recorder = context;

	return user == geteuid() || user == __atomic_load_n(&recorder->user, __ATOMIC_ACQUIRE);
}

/* Begins or stops to accept connections. */
static void listen_to_socket(struct recorder *recorder, bool listens)
{
	struct epoll_event event = { .events = listens ? EPOLLIN : 0, .data.ptr = &recorder->callers.socket };

	struct epoll_event at_door = { .events = event.events, .data.ptr = &recorder->callers };
	int door = __atomic_load_n(&recorder->callers.door, __ATOMIC_ACQUIRE);

	if (recorder->deaf != listens || epoll_ctl(recorder->callers.epoll, EPOLL_CTL_MOD, recorder->callers.socket, &event) < 0)
		return;
	if (door >= 0)
		epoll_ctl(recorder->callers.epoll, EPOLL_CTL_MOD, door, &at_door);
	recorder->deaf = !listens;
}

static void *listen_thread(void *argument)
{
	struct recorder *recorder = argument;

	for (;;) {
		struct epoll_event event = { .data.ptr = &recorder->callers.socket };
		int count = epoll_wait(recorder->callers.epoll, &event, 1, recorder->deaf || recorder->callers.count ? DEAF_MS : -1);
		bool all;

		if (count < 0 && errno != EINTR)
			return NULL;
		/* Messages sent before a process's end or the stop are handled first. */
		all = recorder_callers_accept(&recorder->callers);
		if (event.data.ptr == &recorder->stop) {
			while (!all && (recorder->pools || recorder->callers.count)) {
				if (recorder->pools)
					let_go(recorder, recorder->pools);
				else
					recorder_callers_leave(&recorder->callers, 0);
				all = recorder_callers_accept(&recorder->callers);
			}
			return NULL;
		}
		if (event.data.ptr != &recorder->callers.socket && event.data.ptr != &recorder->callers) {
			let_go(recorder, event.data.ptr);
			all = recorder_callers_accept(&recorder->callers);
		}
		listen_to_socket(recorder, all);
	}
}

static int add_to_epoll(struct recorder *recorder, int *fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = fd };

	return epoll_ctl(recorder->callers.epoll, EPOLL_CTL_ADD, *fd, &event);
}

static void recorder_free(struct recorder *recorder)
{
	int fds[] = { recorder->callers.socket, recorder->callers.door, recorder->stop, recorder->changed,
		      recorder->callers.epoll };

	while (recorder->callers.count)
		recorder_callers_leave(&recorder->callers, recorder->callers.count - 1);
	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	module_files_end(&recorder->module_files, recorder->homes.trace < 0 ? NULL : recorder->homes.path);
	recorder_homes_end(&recorder->homes);
	free(recorder);
}

int recorder_begin(struct recorder **result, char *name, unsigned int size)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	uint64_t secret = 0;
	int error;

	if (!recorder)
		return -ENOMEM;
	if (getrandom(&secret, sizeof(secret), 0) < 0)
		secret = 0;
	pthread_mutex_init(&recorder->lock, NULL);
	recorder->callers.context = recorder;
	recorder->callers.may_call = may_call;
	recorder->callers.take = take_in;
	recorder->callers.make = make;
	recorder->callers.keep = keep;
	recorder->callers.door = -1;
	recorder->homes.trace = -1;
	recorder->user = geteuid();
	recorder->group = getegid();
	snprintf(name, size, "spoor-%d-%016llx", getpid(), (unsigned long long)secret);
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%s", name);
	recorder->stop = eventfd(0, EFD_CLOEXEC);
	recorder->changed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	recorder->callers.epoll = epoll_create1(EPOLL_CLOEXEC);
	recorder->callers.socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (recorder->stop < 0 || recorder->changed < 0 || recorder->callers.epoll < 0 || recorder->callers.socket < 0 ||
	    bind(recorder->callers.socket, (struct sockaddr *)&address,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) < 0 ||
	    listen(recorder->callers.socket, 128) < 0 || add_to_epoll(recorder, &recorder->callers.socket) < 0 ||
	    add_to_epoll(recorder, &recorder->stop) < 0) {
		error = -errno;
		goto free;
	}
	error = -jobs_thread_begin(&recorder->listener, listen_thread, recorder);
	if (error < 0)
		goto free;
	*result = recorder;
	return 0;
free:
	recorder_free(recorder);
	return error;
}

int recorder_place(struct recorder *recorder, const char *trace_path, bool by_us, char *name, unsigned int size)
{
	size_t length = strlen(name);
	struct stat status;
	int error;

	pthread_mutex_lock(&recorder->lock);
	error = recorder_homes_begin(&recorder->homes, trace_path);
	pthread_mutex_unlock(&recorder->lock);
	if (error < 0 || fstat(recorder->homes.trace, &status) < 0)
		return error ? error : -errno;
	if ((size_t)snprintf(name + length, size - length, "/%llx.%llx", by_us ? 0 : (unsigned long long)status.st_dev,
			     by_us ? 0 : (unsigned long long)status.st_ino) >= size - length)
		return -ENAMETOOLONG;
	return 0;
}

int recorder_open_door(struct recorder *recorder, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = &recorder->callers };
	int before = recorder->callers.door;

	/* A door of a failed attempt: the new one takes its number, so that no connection comes through the old
	 * one. */
	if (before >= 0) {
		if (dup3(fd, before, O_CLOEXEC) < 0 || epoll_ctl(recorder->callers.epoll, EPOLL_CTL_ADD, before, &event) < 0)
			return -errno;
		close(fd);
		return 0;
	}
	if (epoll_ctl(recorder->callers.epoll, EPOLL_CTL_ADD, fd, &event) < 0)
		return -errno;
	__atomic_store_n(&recorder->callers.door, fd, __ATOMIC_RELEASE);
	return 0;
}

void recorder_limit(struct recorder *recorder, uint64_t bytes)
{
	__atomic_store_n(&recorder->limit.bytes, bytes, __ATOMIC_RELAXED);
}

bool recorder_is_full(const struct recorder *recorder)
{
	return __atomic_load_n(&recorder->limit.reached, __ATOMIC_RELAXED);
}

void recorder_functions(struct recorder *recorder, struct recorded_functions **list)
{
	__atomic_store_n(&recorder->functions, list, __ATOMIC_RELEASE);
}

void recorder_max_rate(struct recorder *recorder, uint64_t calls)
{
	__atomic_store_n(&recorder->max_rate, calls, __ATOMIC_RELAXED);
}

bool recorder_hot(struct recorder *recorder, struct recorder_hot *hot)
{
	hot->count = 0;
	pthread_mutex_lock(&recorder->lock);
	for (const struct recorded_pool *pool = recorder->pools; pool && !hot->count; pool = pool->next) {
		while (pool->rates && hot->count < sizeof(hot->indexes) / sizeof(*hot->indexes) &&
		       call_rates_next(pool->rates, &hot->indexes[hot->count]))
			hot->count++;
		hot->pool = pool->number;
		hot->process_id = pool->process_id;
		snprintf(hot->folder, sizeof(hot->folder), "%s", pool->folder);
	}
	pthread_mutex_unlock(&recorder->lock);
	return hot->count;
}

void recorder_dormant(struct recorder *recorder, const struct recorder_hot *hot, uint32_t index)
{
	pthread_mutex_lock(&recorder->lock);
	for (const struct recorded_pool *pool = recorder->pools; pool; pool = pool->next)
		if (pool->number == hot->pool)
			call_rates_done(pool->rates, index);
	pthread_mutex_unlock(&recorder->lock);
}

void recorder_progress(struct recorder *recorder, struct recorder_totals *totals)
{
	pthread_mutex_lock(&recorder->lock);
	*totals = recorder->totals;
	for (const struct recorded_pool *pool = recorder->pools; pool; pool = pool->next)
		recorded_pool_add(pool, totals);
	pthread_mutex_unlock(&recorder->lock);
}

bool recorder_drains(struct recorder *recorder, pid_t process_id)
{
	bool drains = false;

	pthread_mutex_lock(&recorder->lock);
	for (const struct recorded_pool *pool = recorder->pools; pool; pool = pool->next)
		drains |= pool->process_id == process_id && pool->pidfd >= 0;
	pthread_mutex_unlock(&recorder->lock);
	return drains;
}

pid_t recorder_next(struct recorder *recorder, uint64_t *after)
{
	const struct recorded_pool *next = NULL;
	pid_t process_id;

	pthread_mutex_lock(&recorder->lock);
	for (const struct recorded_pool *pool = recorder->pools; pool && pool->number > *after; pool = pool->next)
		/* If the process has ended, its ID may have been reused. */
		if (pool->pidfd >= 0 && (pidfd_send_signal(pool->pidfd, 0, NULL, 0) == 0 || errno != ESRCH))
			next = pool;
	process_id = next ? next->process_id : 0;
	*after = next ? next->number : *after;
	pthread_mutex_unlock(&recorder->lock);
	return process_id;
}

bool recorder_pool(struct recorder *recorder, const char *folder, int *fd)
{
	const struct recorded_pool *pool;

	pthread_mutex_lock(&recorder->lock);
	pool = recorder->pools;
	while (pool && strcmp(pool->folder, folder) != 0)
		pool = pool->next;
	if (pool && fd)
		*fd = fcntl(pool->pool_fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&recorder->lock);
	return pool;
}

void recorder_allow(struct recorder *recorder, uid_t user, gid_t group)
{
	/* Set before the user, because the listener reads the user first. */
	__atomic_store_n(&recorder->group, group, __ATOMIC_RELAXED);
	__atomic_store_n(&recorder->user, user, __ATOMIC_RELEASE);
}

unsigned int recorder_living(struct recorder *recorder)
{
	return __atomic_load_n(&recorder->living, __ATOMIC_RELAXED);
}

int recorder_changed_fd(const struct recorder *recorder)
{
	return recorder->changed;
}

void recorder_end(struct recorder *recorder, struct recorder_totals *totals)
{
	uint64_t one = 1;

	if (write(recorder->stop, &one, sizeof(one)) == (ssize_t)sizeof(one))
		pthread_join(recorder->listener, NULL);
	while (recorder->pools)
		let_go(recorder, recorder->pools);
	*totals = recorder->totals;
	totals->full = recorder_is_full(recorder);
	totals->refused = recorder->callers.refused;
	recorder_free(recorder);
}
