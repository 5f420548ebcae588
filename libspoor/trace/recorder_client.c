/* SPDX-License-Identifier: MIT */
/* recorder_client.c - sends the pool to the recorder, or requests files if the trace is out of reach. */
#define _GNU_SOURCE
#include "trace/recorder_client.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/large.h"
#include "format/recorder_protocol.h"

static pid_t recorder;	/* process ID of the recorder that has the pool or will get it; 0 if unknown in this PID
			 * name space */

#define ANSWER_PATIENCE_S 10

/* Limit for sending: a stopped recorder with a full queue must not block the program. */
static const struct timeval patience = { .tv_usec = 200000 };

/* A message with one descriptor. */
struct packet {
	struct iovec body;
	struct msghdr message;
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
};

static struct msghdr *packet_begin(struct packet *packet, void *bytes, size_t size)
{
	memset(packet, 0, sizeof(*packet));
	packet->body = (struct iovec){ bytes, size };
	packet->message.msg_iov = &packet->body;
	packet->message.msg_iovlen = 1;
	packet->message.msg_control = &packet->control;
	packet->message.msg_controllen = sizeof(packet->control);
	return &packet->message;
}

/* @fd: -1 for none. Returns 0, or a negative errno. */
static int send_packet(int socket, void *bytes, size_t size, int fd)
{
	struct packet packet;
	struct msghdr *message = packet_begin(&packet, bytes, size);

	packet.control.header.cmsg_level = SOL_SOCKET;
	packet.control.header.cmsg_type = SCM_RIGHTS;
	packet.control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&packet.control.header), &fd, sizeof(int));
	if (fd < 0) {
		message->msg_control = NULL;
		message->msg_controllen = 0;
	}
	errno = 0;
	if (sendmsg(socket, message, MSG_NOSIGNAL) != (ssize_t)size)
		return errno ? -errno : -EIO;
	return 0;
}

/* The part of @name after @slashes slashes, or null. */
static const char *name_part(const char *name, int slashes)
{
	for (; name && slashes; slashes--) {
		name = strchr(name, '/');
		name = name ? name + 1 : NULL;
	}
	return name;
}

/* Returns the descriptor of the inherited socket to the recorder (the "door"), or -1 if the program closed it. */
static int door_of(const char *name)
{
	const char *text = name_part(name, 2);
	unsigned long long inode;
	struct stat status;
	char *end;
	long fd;

	if (!text)
		return -1;
	fd = strtol(text, &end, 10);
	if (*end != '.' || fd <= 0 || fd > INT_MAX)
		return -1;
	inode = strtoull(end + 1, NULL, 16);
	return fstat((int)fd, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_ino == inode ? (int)fd : -1;
}

void spoor_recorder_close_door(const char *name)
{
	int fd = door_of(name);

	if (fd >= 0)
		close(fd);
}

/* Sends one end of a new socket pair through the door. Returns the other end, or a negative errno. */
static int connect_through(int door)
{
	uint32_t word = SPOOR_RECORDER_DOOR;
	int ends[2], error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	error = send_packet(door, &word, sizeof(word), ends[1]);
	close(ends[1]);
	if (error == 0)
		return ends[0];
	close(ends[0]);
	return error;
}

static int connect_to(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = strcspn(name, "/");
	int fd, error, door = door_of(name);
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (length >= sizeof(address.sun_path) - 1)
		return -ENAMETOOLONG;
	/* An inherited door certainly belongs to the recorder, so try it first. */
	if (door >= 0) {
		fd = connect_through(door);
		if (fd >= 0)
			return fd;
	}
	memcpy(address.sun_path + 1, name, length);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) < 0) {
		error = -errno;
		close(fd);
		return error;
	}
	/* Ask the kernel by system call: fakeroot makes libc return another user ID. */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
	    (peer.uid != (uid_t)syscall(SYS_geteuid) && peer.uid != 0)) {
		close(fd);
		return -EPERM;
	}
	recorder = peer.pid;
	return fd;
}

static struct spoor_recorder_hello hello SPOOR_LARGE;	/* too large for small stacks; used under the registry's lock */

static void hello_begin(uint32_t magic, const char *folder)
{
	memset(&hello, 0, sizeof(hello));
	hello.magic = magic;
	hello.process_id = (uint32_t)getpid();
	snprintf(hello.folder, sizeof(hello.folder), "%s", folder);
}

int spoor_recorder_send(const char *name, int pool_fd, const char *folder)
{
	int fd = connect_to(name), error;

	if (fd < 0)
		return fd;
	error = fcntl(pool_fd, F_ADD_SEALS, SPOOR_RECORDER_SEALS) < 0 ? -errno : 0;
	if (error == 0) {
		hello_begin(SPOOR_RECORDER_MAGIC, folder);
		error = send_packet(fd, &hello, sizeof(hello), pool_fd);
	}
	close(fd);
	return error;
}

int spoor_recorder_send_module(const char *name, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), fd, error;

	if (file < 0)
		return -errno;
	fd = connect_to(name);
	error = fd < 0 ? fd : 0;
	if (error == 0) {
		hello_begin(SPOOR_RECORDER_MODULE, path);
		error = send_packet(fd, &hello, sizeof(hello), file);
		close(fd);
	}
	close(file);
	return error;
}

bool spoor_recorder_is_elsewhere(const char *name, const char *path)
{
	const char *text = name_part(name, 1);
	unsigned long long device, inode;
	struct stat status;
	char *end;

	if (!text)
		return false;
	device = strtoull(text, &end, 16);
	inode = *end == '.' ? strtoull(end + 1, NULL, 16) : 0;
	return stat(path, &status) < 0 || status.st_dev != device || status.st_ino != inode;
}

/* Sends the hello and receives the answer. Returns 0, or a negative errno. @came: set to the received descriptor,
 * or -1 */
static int request(const char *name, struct spoor_recorder_answer *answer, int *came)
{
	const struct timeval long_patience = { .tv_sec = ANSWER_PATIENCE_S };
	int fd = connect_to(name), error;
	struct packet packet;
	ssize_t got;

	*came = -1;
	if (fd < 0)
		return fd;
	error = send_packet(fd, &hello, sizeof(hello), -1);
	if (error < 0) {
		close(fd);
		return error;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &long_patience, sizeof(long_patience));
	do
		got = recvmsg(fd, packet_begin(&packet, answer, sizeof(*answer)), MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	error = got < 0 ? errno == EAGAIN ? -ETIMEDOUT : -errno :
		got != (ssize_t)sizeof(*answer) ? -ECONNRESET : answer->error;
	close(fd);
	if (got > 0 && packet.message.msg_controllen >= CMSG_LEN(sizeof(int)) &&
	    packet.control.header.cmsg_type == SCM_RIGHTS)
		memcpy(came, CMSG_DATA(&packet.control.header), sizeof(int));
	answer->folder[sizeof(answer->folder) - 1] = '\0';
	return error;
}

static struct spoor_recorder_answer answer SPOOR_LARGE;	/* static for the same reason as `hello` */

int spoor_recorder_folder(const char *name, char *folder)
{
	int fd, error;

	hello_begin(SPOOR_RECORDER_FOLDER, "");
	error = request(name, &answer, &fd);
	if (fd >= 0)
		close(fd);
	if (error == 0)
		memcpy(folder, answer.folder, PATH_MAX);
	return error;
}

int spoor_recorder_file(const char *name, const char *folder, const char *file)
{
	const char *slash = strrchr(folder, '/');
	char path[PATH_MAX];
	int fd, error;

	snprintf(path, sizeof(path), "%s/%s", slash ? slash + 1 : folder, file);
	hello_begin(SPOOR_RECORDER_FILE, path);
	error = request(name, &answer, &fd);
	if (error == 0 && fd < 0)
		error = -EBADMSG;
	if (error && fd >= 0)
		close(fd);
	return error ? error : fd;
}

bool spoor_recorder_is_gone(const struct spoor_pool *pool)
{
	uint32_t drainer = __atomic_load_n(&pool->recorder, __ATOMIC_RELAXED);

	if (drainer)
		return drainer & FUTEX_OWNER_DIED;
	/* The recorder has not taken the pool yet. */
	return recorder && kill(recorder, 0) < 0 && errno == ESRCH;
}
