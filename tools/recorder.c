/* SPDX-License-Identifier: MIT */
/* recorder.c - the drainer outside of the traced processes. */
#define _GNU_SOURCE
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "drain.h"
#include "recorder_protocol.h"

/* One pool and the thread that drains it. */
struct pool_thread {
	struct pool_thread *next;
	pthread_t thread;
	struct spoor_pool *pool;
	size_t pool_bytes;
	int events_fd;
	int ending;		/* nobody logs any more, or nobody is waited for */
	struct spoor_drain drain;
};

struct recorder {
	int socket;
	int stop;		/* eventfd */
	pthread_t listener;
	struct pool_thread *pools;
};

static void *drain_thread(void *argument)
{
	struct pool_thread *pool = argument;

	while (!__atomic_load_n(&pool->ending, __ATOMIC_ACQUIRE)) {
		spoor_drain_run(&pool->drain, false);
		if (!__atomic_load_n(&pool->ending, __ATOMIC_ACQUIRE))
			spoor_drain_wait(&pool->drain);
	}
	spoor_drain_run(&pool->drain, true);
	spoor_drain_losses(&pool->drain);
	return NULL;
}

/* Maps what a process sent. It may be anything: sizes are checked, contents are
 * checked by whoever uses them. */
static int map_pool(struct pool_thread *pool, int fd)
{
	struct spoor_pool *mapped;
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_size < (off_t)spoor_pool_bytes(1))
		return -EBADMSG;
	mapped = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapped == MAP_FAILED)
		return -errno;
	if (mapped->magic != SPOOR_POOL_MAGIC || mapped->version != SPOOR_TRACE_VERSION ||
	    mapped->slice_bytes != SPOOR_SLICE_BYTES || mapped->slice_count > SPOOR_POOL_SLICE_COUNT_MAX ||
	    spoor_pool_bytes(mapped->slice_count) != (uint64_t)status.st_size) {
		munmap(mapped, (size_t)status.st_size);
		return -EBADMSG;
	}
	pool->pool = mapped;
	pool->pool_bytes = (size_t)status.st_size;
	return 0;
}

static void pool_free(struct pool_thread *pool)
{
	if (pool->pool)
		munmap(pool->pool, pool->pool_bytes);
	if (pool->events_fd >= 0)
		close(pool->events_fd);
	spoor_drain_end(&pool->drain);
	free(pool);
}

/* A process has come; @fd is its pool. */
static int pool_begin(struct recorder *recorder, int fd, const char *folder)
{
	struct pool_thread *pool = calloc(1, sizeof(*pool));
	char path[PATH_MAX + 32];
	int error;

	if (!pool)
		return -ENOMEM;
	pool->events_fd = -1;
	error = map_pool(pool, fd);
	if (error < 0)
		goto free;
	snprintf(path, sizeof(path), "%s/%s", folder, SPOOR_EVENTS_FILE);
	pool->events_fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	error = pool->events_fd < 0 ? -errno : spoor_drain_begin(&pool->drain, pool->pool, pool->events_fd);
	if (error < 0)
		goto free;
	error = -pthread_create(&pool->thread, NULL, drain_thread, pool);
	if (error < 0)
		goto free;
	pool->next = recorder->pools;
	recorder->pools = pool;
	return 0;
free:
	pool_free(pool);
	return error;
}

/* Takes one message; returns the descriptor that came with it. */
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
	int fd;

	if (recvmsg(connection, &message, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(*hello))
		return -EBADMSG;
	if (!CMSG_FIRSTHDR(&message) || control.header.cmsg_type != SCM_RIGHTS ||
	    control.header.cmsg_len != CMSG_LEN(sizeof(int)))
		return -EBADMSG;
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	if (hello->magic != SPOOR_RECORDER_MAGIC || !memchr(hello->folder, 0, sizeof(hello->folder))) {
		close(fd);
		return -EBADMSG;
	}
	return fd;
}

static void welcome(struct recorder *recorder, int connection)
{
	struct timeval second = { .tv_sec = 1 };
	struct spoor_recorder_hello hello;
	socklen_t size = sizeof(struct ucred);
	struct ucred peer;
	int fd, error;

	if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.uid != geteuid())
		return;
	setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
	fd = receive(connection, &hello);
	if (fd < 0)
		return;
	error = pool_begin(recorder, fd, hello.folder);
	if (error < 0)
		fprintf(stderr, "spoor record: the events of process %u cannot be recorded in %s: %s\n",
			hello.process_id, hello.folder, strerror(-error));
	close(fd);
}

static void *listen_thread(void *argument)
{
	struct recorder *recorder = argument;
	struct pollfd wait[2] = {
		{ .fd = recorder->socket, .events = POLLIN },
		{ .fd = recorder->stop, .events = POLLIN },
	};

	for (;;) {
		int connection;

		if (poll(wait, 2, -1) < 0 && errno != EINTR)
			return NULL;
		/* What was sent before the stop is still taken. */
		while ((connection = accept4(recorder->socket, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
			welcome(recorder, connection);
			close(connection);
		}
		if (wait[1].revents)
			return NULL;
	}
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
	snprintf(name, size, "spoor-%d-%016llx", getpid(), (unsigned long long)secret);
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%s", name);
	recorder->stop = eventfd(0, EFD_CLOEXEC);
	recorder->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (recorder->stop < 0 || recorder->socket < 0 ||
	    bind(recorder->socket, (struct sockaddr *)&address,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) < 0 ||
	    listen(recorder->socket, 128) < 0) {
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
	if (recorder->socket >= 0)
		close(recorder->socket);
	if (recorder->stop >= 0)
		close(recorder->stop);
	free(recorder);
	return error;
}

void recorder_end(struct recorder *recorder, struct recorder_totals *totals)
{
	uint64_t one = 1;

	memset(totals, 0, sizeof(*totals));
	if (write(recorder->stop, &one, sizeof(one)) == (ssize_t)sizeof(one))
		pthread_join(recorder->listener, NULL);
	while (recorder->pools) {
		struct pool_thread *pool = recorder->pools;

		recorder->pools = pool->next;
		__atomic_store_n(&pool->ending, 1, __ATOMIC_RELEASE);
		spoor_drain_wake(pool->pool);
		pthread_join(pool->thread, NULL);
		totals->events += pool->drain.events;
		totals->bytes += pool->drain.file_bytes;
		if (!totals->error)
			totals->error = pool->drain.error;
		for (int cause = 0; cause < SPOOR_LOSS_COUNT; cause++)
			totals->lost += pool->pool->lost[cause];
		pool_free(pool);
	}
	close(recorder->socket);
	close(recorder->stop);
	free(recorder);
}
