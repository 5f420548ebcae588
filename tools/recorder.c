/* SPDX-License-Identifier: MIT */
/*
 * recorder.c - the drainer outside of the traced processes: takes in the pools that
 * come, lets go of those whose processes have ended.
 */
#define _GNU_SOURCE
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "drainer_mark.h"
#include "message.h"
#include "recorded_pool.h"
#include "recorder_protocol.h"

#define DEAF_MS 100	/* until descriptors are looked for again, and who has called and says nothing */
#define SILENT_NS 1000000000ll	/* that long one may say nothing */
#define CALLERS_MAX 64u		/* that say nothing; the first of them goes where there are more */

/* A process that has called, and has not sent its pool yet. */
struct caller {
	int connection;
	pid_t process_id;
	int64_t until_ns;
};

struct recorder {
	int socket;
	int stop, changed;	/* eventfds */
	int epoll;
	bool deaf;		/* the socket is not looked at: no descriptors are left */
	pthread_t listener;
	struct spoor_drain_limit limit;
	pthread_mutex_t lock;	/* of what others look at: taken by whoever changes it, */
	struct recorded_pool *pools;	/* ... which is the listener, until it has ended; the last to come first */
	uint64_t pool_count;		/* that have come so far */
	struct recorder_totals totals;
	/* The listener's, until it has ended. */
	struct caller callers[CALLERS_MAX];	/* the first to come first */
	unsigned int caller_count;
	unsigned int living;	/* read by others */
	uid_t user;		/* besides ours, who may send pools */
	gid_t group;
};

static void tell_living(struct recorder *recorder, int change)
{
	uint64_t one = 1;

	__atomic_fetch_add(&recorder->living, (unsigned int)change, __ATOMIC_RELAXED);
	if (write(recorder->changed, &one, sizeof(one)) < 0)
		return;		/* there is news to be read already */
}

/* Looks out for the end of a pool's process. */
static void watch(struct recorder *recorder, struct recorded_pool *pool)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = pool };

	if (pool->pidfd < 0)
		return;
	if (epoll_ctl(recorder->epoll, EPOLL_CTL_ADD, pool->pidfd, &event) == 0) {
		tell_living(recorder, 1);
		return;
	}
	close(pool->pidfd);
	pool->pidfd = -1;
}

static void let_go(struct recorder *recorder, struct recorded_pool *pool)
{
	struct recorded_pool **at = &recorder->pools;
	bool watched = pool->pidfd >= 0;

	/* What is left is drained meanwhile. */
	recorded_pool_stop(pool);
	pthread_mutex_lock(&recorder->lock);
	while (*at != pool)
		at = &(*at)->next;
	*at = pool->next;
	recorded_pool_end(pool, &recorder->totals);
	pthread_mutex_unlock(&recorder->lock);
	if (watched)
		tell_living(recorder, -1);
}

/* A process has come; @fd is its pool, and ours from now on if all goes well. */
static int take_in(struct recorder *recorder, int fd, const char *folder, pid_t process_id)
{
	struct recorded_pool *pool;
	uid_t user = __atomic_load_n(&recorder->user, __ATOMIC_ACQUIRE);
	gid_t group = __atomic_load_n(&recorder->group, __ATOMIC_RELAXED);
	int error = recorded_pool_begin(&pool, fd, folder, process_id, user, group, &recorder->limit);

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

/* Closes the descriptors that came with a message, but for *@kept where there is
 * exactly one. Return: whether there is. */
static bool take_one(struct msghdr *message, int *kept)
{
	size_t count = 0;

	*kept = -1;
	for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = 0; at + sizeof(int) <= header->cmsg_len - CMSG_LEN(0); at += sizeof(int), count++) {
			if (*kept >= 0)
				close(*kept);
			memcpy(kept, CMSG_DATA(header) + at, sizeof(int));
		}
	}
	return count == 1 && !(message->msg_flags & (MSG_CTRUNC | MSG_TRUNC));
}

/* Takes one message; returns the descriptor that came with it, or -EAGAIN before it has come. */
static int receive(int connection, struct spoor_recorder_hello *hello)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec body = { hello, sizeof(*hello) };
	struct msghdr message = {
		.msg_iov = &body,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t bytes = recvmsg(connection, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	int fd;

	if (bytes < 0)
		return -errno;
	if (take_one(&message, &fd) && bytes == (ssize_t)sizeof(*hello) && hello->magic == SPOOR_RECORDER_MAGIC &&
	    memchr(hello->folder, 0, sizeof(hello->folder)))
		return fd;
	if (fd >= 0)
		close(fd);
	return -EBADMSG;
}

/* Why a pool is not recorded. */
static const char *why(int error)
{
	if (error == -EBADMSG)
		return "what it sent is no pool";
	if (error == -ETXTBSY)
		return "the size of the pool that it sent is not sealed, as by a libspoor.so of another version";
	return strerror(-error);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* Takes what a caller has sent. Return: whether it has sent anything. */
static bool hear(struct recorder *recorder, int connection, pid_t process_id)
{
	struct spoor_recorder_hello hello;
	int fd = receive(connection, &hello), error;

	if (fd == -EAGAIN)
		return false;
	if (fd < 0) {
		message("process %d sent what is no pool (%s); nothing of it is recorded", (int)process_id,
			strerror(-fd));
		return true;
	}
	error = take_in(recorder, fd, hello.folder, process_id);
	if (error < 0) {
		message("%s: the events of process %d cannot be recorded: %s", hello.folder, (int)process_id,
			why(error));
		drainer_mark_refuse(fd);
		close(fd);
	}
	return true;
}

/* What it has sent meanwhile is taken; from here on it is told that nobody listens. */
static void caller_end(struct recorder *recorder, unsigned int at)
{
	struct caller *caller = &recorder->callers[at];
	char byte;

	shutdown(caller->connection, SHUT_RD);
	if (recv(caller->connection, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
		hear(recorder, caller->connection, caller->process_id);
	close(caller->connection);
	recorder->caller_count--;
	memmove(&recorder->callers[at], &recorder->callers[at + 1],
		(recorder->caller_count - at) * sizeof(recorder->callers[0]));
}

/* Nobody who says nothing is waited for: others have something to say. */
static void hear_all(struct recorder *recorder)
{
	int64_t now = recorder->caller_count ? now_ns() : 0;

	for (unsigned int i = 0; i < recorder->caller_count;) {
		struct caller *caller = &recorder->callers[i];
		bool heard = hear(recorder, caller->connection, caller->process_id);

		if (!heard && now >= caller->until_ns)
			message("process %d has called and sent no pool; nothing of it is recorded", (int)caller->process_id);
		if (heard || now >= caller->until_ns)
			caller_end(recorder, i);
		else
			i++;
	}
}

static bool may_call(const struct recorder *recorder, uid_t user)
{
	return user == geteuid() || user == __atomic_load_n(&recorder->user, __ATOMIC_ACQUIRE);
}

/* @connection is the recorder's from now on. */
static void welcome(struct recorder *recorder, int connection)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = recorder->callers };
	socklen_t size = sizeof(struct ucred);
	struct ucred peer;

	if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
	    !may_call(recorder, peer.uid) || hear(recorder, connection, peer.pid) ||
	    epoll_ctl(recorder->epoll, EPOLL_CTL_ADD, connection, &event) < 0) {
		close(connection);
		return;
	}
	if (recorder->caller_count == CALLERS_MAX)
		caller_end(recorder, 0);
	recorder->callers[recorder->caller_count++] = (struct caller){ connection, peer.pid, now_ns() + SILENT_NS };
}

#define CALLER_FDS 4u	/* connection, pool, events, pidfd */

/* Whether there are descriptors for one process more, and for those that have called, which have
 * their connections already. */
static bool has_room(const struct recorder *recorder)
{
	unsigned int wanted = CALLER_FDS + (CALLER_FDS - 1) * recorder->caller_count, count = 0;
	int fds[CALLER_FDS * (CALLERS_MAX + 1)];

	while (count < wanted && (fds[count] = fcntl(recorder->socket, F_DUPFD_CLOEXEC, 0)) >= 0)
		count++;
	for (unsigned int i = 0; i < count; i++)
		close(fds[i]);
	return count == wanted;
}

/*
 * Takes all that have come. Where there is no room they stay in the queue, and their
 * pools with them, until another process ends, or one that has called has said what it has
 * to say, or nothing for too long.
 *
 * Return: whether none is left.
 */
static bool accept_all(struct recorder *recorder)
{
	int connection;

	hear_all(recorder);
	for (;;) {
		if (!has_room(recorder))
			return false;
		connection = accept4(recorder->socket, NULL, NULL, SOCK_CLOEXEC);
		if (connection < 0)
			return true;
		welcome(recorder, connection);
	}
}

/* Looks at the socket again, or no more. */
static void listen_to_socket(struct recorder *recorder, bool listens)
{
	struct epoll_event event = { .events = listens ? EPOLLIN : 0, .data.ptr = &recorder->socket };

	if (recorder->deaf == listens && epoll_ctl(recorder->epoll, EPOLL_CTL_MOD, recorder->socket, &event) == 0)
		recorder->deaf = !listens;
}

static void *listen_thread(void *argument)
{
	struct recorder *recorder = argument;

	for (;;) {
		struct epoll_event event = { .data.ptr = &recorder->socket };
		int count = epoll_wait(recorder->epoll, &event, 1, recorder->deaf || recorder->caller_count ? DEAF_MS : -1);
		bool all;

		if (count < 0 && errno != EINTR)
			return NULL;
		/* What was sent before an end or the stop is taken first. */
		all = accept_all(recorder);
		if (event.data.ptr == &recorder->stop) {
			while (!all && (recorder->pools || recorder->caller_count)) {
				if (recorder->pools)
					let_go(recorder, recorder->pools);
				else
					caller_end(recorder, 0);
				all = accept_all(recorder);
			}
			return NULL;
		}
		if (event.data.ptr != &recorder->socket && event.data.ptr != recorder->callers) {
			let_go(recorder, event.data.ptr);
			all = accept_all(recorder);
		}
		listen_to_socket(recorder, all);
	}
}

static int add_to_epoll(struct recorder *recorder, int *fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = fd };

	return epoll_ctl(recorder->epoll, EPOLL_CTL_ADD, *fd, &event);
}

static void recorder_free(struct recorder *recorder)
{
	int fds[] = { recorder->socket, recorder->stop, recorder->changed, recorder->epoll };

	while (recorder->caller_count)
		caller_end(recorder, recorder->caller_count - 1);
	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(recorder);
}

int recorder_begin(struct recorder **result, char *name, unsigned int size)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	uint64_t secret = 0;
	sigset_t all, before;
	int error;

	if (!recorder)
		return -ENOMEM;
	if (getrandom(&secret, sizeof(secret), 0) < 0)
		secret = 0;
	pthread_mutex_init(&recorder->lock, NULL);
	recorder->user = geteuid();
	recorder->group = getegid();
	snprintf(name, size, "spoor-%d-%016llx", getpid(), (unsigned long long)secret);
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%s", name);
	recorder->stop = eventfd(0, EFD_CLOEXEC);
	recorder->changed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	recorder->epoll = epoll_create1(EPOLL_CLOEXEC);
	recorder->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (recorder->stop < 0 || recorder->changed < 0 || recorder->epoll < 0 || recorder->socket < 0 ||
	    bind(recorder->socket, (struct sockaddr *)&address,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) < 0 ||
	    listen(recorder->socket, 128) < 0 || add_to_epoll(recorder, &recorder->socket) < 0 ||
	    add_to_epoll(recorder, &recorder->stop) < 0) {
		error = -errno;
		goto free;
	}
	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = -pthread_create(&recorder->listener, NULL, listen_thread, recorder);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error < 0)
		goto free;
	*result = recorder;
	return 0;
free:
	recorder_free(recorder);
	return error;
}

void recorder_limit(struct recorder *recorder, uint64_t bytes)
{
	__atomic_store_n(&recorder->limit.bytes, bytes, __ATOMIC_RELAXED);
}

bool recorder_is_full(const struct recorder *recorder)
{
	return __atomic_load_n(&recorder->limit.reached, __ATOMIC_RELAXED);
}

void recorder_progress(struct recorder *recorder, struct recorder_totals *totals)
{
	pthread_mutex_lock(&recorder->lock);
	*totals = recorder->totals;
	for (const struct recorded_pool *pool = recorder->pools; pool; pool = pool->next)
		recorded_pool_add(pool, totals);
	pthread_mutex_unlock(&recorder->lock);
}

uint64_t recorder_latest(struct recorder *recorder)
{
	uint64_t latest;

	pthread_mutex_lock(&recorder->lock);
	latest = recorder->pool_count;
	pthread_mutex_unlock(&recorder->lock);
	return latest;
}

pid_t recorder_next(struct recorder *recorder, uint64_t *after)
{
	const struct recorded_pool *next = NULL;
	pid_t process_id;

	pthread_mutex_lock(&recorder->lock);
	for (const struct recorded_pool *pool = recorder->pools; pool && pool->number > *after; pool = pool->next)
		next = pool;
	process_id = next ? next->process_id : 0;
	*after = next ? next->number : *after;
	pthread_mutex_unlock(&recorder->lock);
	return process_id;
}

void recorder_allow(struct recorder *recorder, uid_t user, gid_t group)
{
	/* The listener looks at the user first. */
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
	recorder_free(recorder);
}
