/* SPDX-License-Identifier: MIT */
/* recorder_client.c - one message to the recorder, with the pool in it. */
#define _GNU_SOURCE
#include "recorder_client.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "recorder_protocol.h"

static pid_t recorder;	/* that has the pool, or will have it; 0: not to be seen from here */

static int connect_to(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	/* One that is stopped, with its queue full, would keep the program waiting. */
	const struct timeval patience = { .tv_usec = 200000 };
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int fd, error;

	if (strlen(name) >= sizeof(address.sun_path) - 1)
		return -ENAMETOOLONG;
	memcpy(address.sun_path + 1, name, strlen(name));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) < 0) {
		error = -errno;
		close(fd);
		return error;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
	    (peer.uid != geteuid() && peer.uid != 0)) {
		close(fd);
		return -EPERM;
	}
	recorder = peer.pid;
	return fd;
}

int spoor_recorder_send(const char *name, int pool_fd, const char *folder)
{
	static struct spoor_recorder_hello hello;	/* under the registry's lock */
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec body = { &hello, sizeof(hello) };
	struct msghdr message = {
		.msg_iov = &body,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	int fd = connect_to(name), error = 0;

	if (fd < 0)
		return fd;
	if (fcntl(pool_fd, F_ADD_SEALS, SPOOR_RECORDER_SEALS) < 0) {
		error = -errno;
		close(fd);
		return error;
	}
	hello.magic = SPOOR_RECORDER_MAGIC;
	hello.process_id = (uint32_t)getpid();
	strncpy(hello.folder, folder, sizeof(hello.folder) - 1);
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &pool_fd, sizeof(int));
	if (sendmsg(fd, &message, MSG_NOSIGNAL) != (ssize_t)sizeof(hello))
		error = errno ? -errno : -EIO;
	close(fd);
	return error;
}

bool spoor_recorder_is_gone(const struct spoor_pool *pool)
{
	uint32_t drainer = __atomic_load_n(&pool->recorder, __ATOMIC_RELAXED);

	if (drainer)
		return drainer & FUTEX_OWNER_DIED;
	/* The pool waits to be taken up. */
	return recorder && kill(recorder, 0) < 0 && errno == ESRCH;
}
