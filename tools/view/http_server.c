/* SPDX-License-Identifier: MIT */
/* http_server.c - sends pieces of one file to browsers on this machine. */
#include "view/http_server.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "view/http_connection.h"
#include "base/system/monotonic.h"

#define FULL_WAIT_MS 100	/* pause before the next accept without free descriptors */

/* Returns a bound socket, or a negative errno. */
static int bind_socket(const struct sockaddr *address, socklen_t size)
{
	const int yes = 1;
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error;

	if (fd < 0)
		return -errno;
	/* Allows a port on which connections of an earlier server are still closing. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 && bind(fd, address, size) == 0)
		return fd;
	error = -errno;
	close(fd);
	return error;
}

int http_server_open(struct http_server *server, uint16_t port)
{
	struct sockaddr_in of_4 = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 of_6 = { .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_loopback };
	socklen_t size = sizeof(of_4);

	strcpy(server->address, "127.0.0.1");
	server->fd = bind_socket((struct sockaddr *)&of_4, size);
	if (server->fd == -EAFNOSUPPORT || server->fd == -EADDRNOTAVAIL) {
		strcpy(server->address, "[::1]");
		server->fd = bind_socket((struct sockaddr *)&of_6, sizeof(of_6));
	}
	if (server->fd < 0)
		return server->fd;
	if (server->address[0] == '[') {
		size = sizeof(of_6);
		getsockname(server->fd, (struct sockaddr *)&of_6, &size);
		server->port = ntohs(of_6.sin6_port);
	} else {
		getsockname(server->fd, (struct sockaddr *)&of_4, &size);
		server->port = ntohs(of_4.sin_port);
	}
	return 0;
}

int http_server_listen(struct http_server *server)
{
	return listen(server->fd, 16) == 0 ? 0 : -errno;
}

/* Returns a place for a connection. If all are in use, closes the one without an answer for the longest time. */
static struct http_connection **take_place(struct http_server *server)
{
	struct http_connection **oldest = server->connections;

	for (unsigned int i = 0; i < HTTP_CONNECTIONS; i++) {
		struct http_connection **place = &server->connections[i];

		if (!*place)
			return place;
		if ((*place)->served_ns < (*oldest)->served_ns ||
		    ((*place)->served_ns == (*oldest)->served_ns && (*place)->deadline_ns < (*oldest)->deadline_ns))
			oldest = place;
	}
	http_connection_close(*oldest);
	*oldest = NULL;
	return oldest;
}

/* Accepts a connection. Returns false if there is none, or (@is_short) descriptors or memory are short. */
static bool accept_one(struct http_server *server, bool *is_short)
{
	int fd = accept4(server->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct http_connection **place;

	if (fd < 0) {
		*is_short = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
		return errno == EINTR || errno == ECONNABORTED;
	}
	place = take_place(server);
	*place = http_connection_open(server, fd, (uint64_t)monotonic_ns());
	/* The request has often arrived already. A connection with an answer is not the next to be closed. */
	if (*place)
		http_connection_continue(*place, (uint64_t)monotonic_ns());
	return true;
}

/* Closes finished and late connections. Returns the milliseconds until the next deadline; -1: there is none. */
static int close_late_connections(struct http_server *server)
{
	uint64_t at = (uint64_t)monotonic_ns(), next_ns = UINT64_MAX;

	for (unsigned int i = 0; i < HTTP_CONNECTIONS; i++) {
		struct http_connection *connection = server->connections[i];

		if (!connection)
			continue;
		if (connection->state == HTTP_OVER || connection->deadline_ns <= at) {
			http_connection_close(connection);
			server->connections[i] = NULL;
		} else if (connection->deadline_ns < next_ns) {
			next_ns = connection->deadline_ns;
		}
	}
	return next_ns == UINT64_MAX ? -1 : (int)((next_ns - at) / 1000000 + 1);
}

int http_server_run(struct http_server *server, int signals)
{
	bool is_short = false;

	for (;;) {
		struct pollfd polled[2 + HTTP_CONNECTIONS];
		int wait_ms = close_late_connections(server);

		polled[0] = (struct pollfd){ .fd = signals, .events = POLLIN };
		polled[1] = (struct pollfd){ .fd = is_short ? -1 : server->fd, .events = POLLIN };
		for (unsigned int i = 0; i < HTTP_CONNECTIONS; i++) {
			struct http_connection *connection = server->connections[i];

			polled[2 + i] = (struct pollfd){ .fd = connection ? connection->fd : -1 };
			if (connection)
				polled[2 + i].events = http_connection_wants(connection);
		}
		if (is_short && (wait_ms < 0 || wait_ms > FULL_WAIT_MS))
			wait_ms = FULL_WAIT_MS;
		is_short = false;
		if (poll(polled, 2 + HTTP_CONNECTIONS, wait_ms) < 0) {
			if (errno != EINTR)
				return -errno;
			continue;
		}
		if (polled[0].revents)
			return 0;
		/* Serve these before accept_one, which may put other connections in their places. */
		for (unsigned int i = 0; i < HTTP_CONNECTIONS; i++)
			if (polled[2 + i].revents)
				http_connection_continue(server->connections[i], (uint64_t)monotonic_ns());
		for (unsigned int i = 0; polled[1].revents && i < HTTP_CONNECTIONS && accept_one(server, &is_short); i++)
			;
	}
}

void http_server_close(struct http_server *server)
{
	for (unsigned int i = 0; i < HTTP_CONNECTIONS; i++) {
		http_connection_close(server->connections[i]);
		server->connections[i] = NULL;
	}
	if (server->fd >= 0)
		close(server->fd);
	server->fd = -1;
}
