/* SPDX-License-Identifier: MIT */
/* callers.c - receives the messages of processes that connect to the recorder, and limits how long it waits for
 * them. */
#define _GNU_SOURCE
#include "record/callers.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "record/drainer_mark.h"
#include "base/message.h"
#include "format/recorder_protocol.h"
#include "base/system/monotonic.h"

#define SILENT_NS 60000000000ll	/* how long a connected process may send nothing: a quota may starve it */

/* Closes the descriptors that came with a message, except the last one, *@kept. Returns whether there was exactly
 * one and the message was not cut off. */
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

/* Receives one message. *@kept: the descriptor that came with it, else -1. Returns its size in bytes, or a
 * negative errno. */
static ssize_t receive_one(int connection, void *bytes, size_t size, int *kept)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec body = { bytes, size };
	struct msghdr message = {
		.msg_iov = &body,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

	*kept = -1;
	/* If the other end sends and closes between two checks of the kernel, the kernel reports the end before
	 * the message. Read again: if nothing follows and the other end is open, the message was empty. */
	if (got == 0 && !CMSG_FIRSTHDR(&message)) {
		message.msg_controllen = sizeof(control);
		got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
		if (got < 0 && errno == EAGAIN)
			return -EBADMSG;
	}
	if (got < 0)
		return -errno;
	if (!take_one(&message, kept) && *kept >= 0) {
		close(*kept);
		*kept = -1;
	}
	return got;
}

/* Receives one message. Returns the descriptor that came with it, 0 for a question, or a negative errno: -EAGAIN
 * if it has not arrived, -ECONNRESET if the caller ended before it sent the message. */
static int receive(int connection, struct spoor_recorder_hello *hello)
{
	int fd;
	ssize_t bytes = receive_one(connection, hello, sizeof(*hello), &fd);
	bool whole = bytes == (ssize_t)sizeof(*hello) && memchr(hello->folder, 0, sizeof(hello->folder));

	if (bytes < 0)
		return (int)bytes;
	if (bytes == 0 && fd < 0)
		return -ECONNRESET;
	if (whole && fd >= 0 && (hello->magic == SPOOR_RECORDER_MAGIC || hello->magic == SPOOR_RECORDER_MODULE))
		return fd;
	if (fd >= 0)
		close(fd);
	if (whole && fd < 0 && (hello->magic == SPOOR_RECORDER_FOLDER || hello->magic == SPOOR_RECORDER_FILE))
		return 0;
	return -EBADMSG;
}

/* Sends the requested folder or file. */
static void answer(struct recorder_callers *callers, int connection, const struct spoor_recorder_hello *hello,
		   pid_t process_id)
{
	struct spoor_recorder_answer reply = { 0 };
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec body = { &reply, sizeof(reply) };
	struct msghdr message = { .msg_iov = &body, .msg_iovlen = 1 };
	bool is_file = hello->magic == SPOOR_RECORDER_FILE;
	int made = callers->make(callers->context, process_id, is_file ? hello->folder : NULL, reply.folder);

	reply.error = made < 0 ? made : 0;
	if (is_file && made >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &made, sizeof(int));
	}
	/* The process may have ended meanwhile, so errors are ignored. */
	sendmsg(connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (is_file && made >= 0)
		close(made);
}

/* Returns why a pool is not recorded, for a message. */
static const char *describe_error(int error)
{
	if (error == -EBADMSG)
		return "its message contains no valid pool";
	if (error == -ETXTBSY)
		return "the size of its pool is not sealed: its libspoor.so has another version";
	return strerror(-error);
}

/* Handles a message of a caller. Returns whether there was one. */
static bool handle_message(struct recorder_callers *callers, int connection, pid_t process_id)
{
	struct spoor_recorder_hello hello;
	int fd = receive(connection, &hello), error;

	if (fd == -EAGAIN)
		return false;
	/* A process may end while it loads a library and reports the file. Its events are in its pool. */
	if (fd == -ECONNRESET)
		return true;
	if (fd < 0) {
		message("process %d is not recorded: its message contains no pool (%s)", (int)process_id,
			strerror(-fd));
		return true;
	}
	if (hello.magic == SPOOR_RECORDER_MODULE) {
		callers->keep(callers->context, fd, hello.folder);
		return true;
	}
	if (hello.magic != SPOOR_RECORDER_MAGIC) {
		answer(callers, connection, &hello, process_id);
		return true;
	}
	error = callers->take(callers->context, fd, hello.folder, process_id);
	if (error < 0) {
		message("%s: cannot record the events of process %d: %s", hello.folder, (int)process_id,
			describe_error(error));
		drainer_mark_refuse(fd);
		close(fd);
	}
	return true;
}

void recorder_callers_leave(struct recorder_callers *callers, unsigned int at)
{
	struct recorder_caller *caller = &callers->list[at];
	char byte;

	shutdown(caller->connection, SHUT_RD);
	if (recv(caller->connection, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
		handle_message(callers, caller->connection, caller->process_id);
	close(caller->connection);
	callers->count--;
	memmove(&callers->list[at], &callers->list[at + 1],
		(callers->count - at) * sizeof(callers->list[0]));
}

/* Handles the messages that have arrived. Does not wait for silent callers, because others may have sent
 * something. */
static void handle_messages(struct recorder_callers *callers)
{
	int64_t now = callers->count ? monotonic_ns() : 0;

	for (unsigned int i = 0; i < callers->count;) {
		struct recorder_caller *caller = &callers->list[i];
		bool heard = handle_message(callers, caller->connection, caller->process_id);

		if (!heard && now >= caller->until_ns)
			message("process %d is not recorded: it connected and sent no pool", (int)caller->process_id);
		if (heard || now >= caller->until_ns)
			recorder_callers_leave(callers, i);
		else
			i++;
	}
}

/* Counts a process once if it connects several times in succession. */
static void refuse(struct recorder_callers *callers, const struct ucred *peer)
{
	if (peer->pid == callers->refused_last)
		return;
	callers->refused_last = peer->pid;
	if (callers->refused++ == 0)
		message("process %d is not recorded: its user is %u, and this recorder accepts only processes of its "
			"own user", (int)peer->pid, (unsigned int)peer->uid);
}

/* Takes ownership of @connection. */
static void welcome(struct recorder_callers *callers, int connection)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = callers };
	socklen_t size = sizeof(struct ucred);
	struct ucred peer;

	bool known = getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
	bool allowed = known && callers->may_call(callers->context, peer.uid);

	if (known && !allowed)
		refuse(callers, &peer);
	if (!allowed || handle_message(callers, connection, peer.pid) ||
	    epoll_ctl(callers->epoll, EPOLL_CTL_ADD, connection, &event) < 0) {
		close(connection);
		return;
	}
	if (callers->count == RECORDER_CALLERS_MAX)
		recorder_callers_leave(callers, 0);
	callers->list[callers->count++] = (struct recorder_caller){ connection, peer.pid, monotonic_ns() + SILENT_NS };
}

#define CALLER_FDS 4u	/* connection, pool, events file, pidfd */

/* Returns whether there are enough descriptors for one more process, and for the callers, which have their
 * connections already. */
static bool has_room(const struct recorder_callers *callers)
{
	unsigned int wanted = CALLER_FDS + (CALLER_FDS - 1) * callers->count, count = 0;
	int fds[CALLER_FDS * (RECORDER_CALLERS_MAX + 1)];

	while (count < wanted && (fds[count] = fcntl(callers->socket, F_DUPFD_CLOEXEC, 0)) >= 0)
		count++;
	for (unsigned int i = 0; i < count; i++)
		close(fds[i]);
	return count == wanted;
}

/* Takes a connection from the door: one end of a socket pair that the sender made. Returns a descriptor, or a
 * negative errno if no more has come. */
static int take_through(int door)
{
	int type, connection;
	socklen_t size = sizeof(type);
	ssize_t got;
	uint32_t word;

	if (door < 0)
		return -EAGAIN;
	while ((got = receive_one(door, &word, sizeof(word), &connection)) >= 0 || got == -EBADMSG) {
		if (connection >= 0 && got == (ssize_t)sizeof(word) && word == SPOOR_RECORDER_DOOR &&
		    getsockopt(connection, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET)
			return connection;
		if (connection >= 0)
			close(connection);
	}
	return (int)got;
}

bool recorder_callers_accept(struct recorder_callers *callers)
{
	int connection;

	handle_messages(callers);
	for (;;) {
		if (!has_room(callers))
			return false;
		connection = accept4(callers->socket, NULL, NULL, SOCK_CLOEXEC);
		if (connection < 0)
			connection = take_through(__atomic_load_n(&callers->door, __ATOMIC_ACQUIRE));
		if (connection < 0)
			return true;
		welcome(callers, connection);
	}
}
