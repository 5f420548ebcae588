/* SPDX-License-Identifier: MIT */
/* http_connection.c - answers the requests of one browser connection, one after the other. */
#include "view/http_connection.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)
#define REQUEST_NS (10 * SECOND_NS)	/* for a request to arrive */
#define IDLE_NS (120 * SECOND_NS)	/* between requests */
#define WRITE_NS (30 * SECOND_NS)	/* without progress of an answer */
#define LEAVE_NS SECOND_NS		/* to receive and drop the rest before the close */
#define THROWN_MAX (1u << 20)		/* bytes to drop */

static const struct {
	unsigned int status;
	const char *reason;
} reasons[] = {
	{ 200, "OK" }, { 400, "Bad Request" }, { 403, "Forbidden" }, { 404, "Not Found" }, { 405, "Method Not Allowed" },
	{ 431, "Request Header Fields Too Large" }, { 505, "HTTP Version Not Supported" },
};

static const char *reason_of(unsigned int status)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "Error";
}

struct http_connection *http_connection_open(struct http_server *server, int fd, uint64_t now_ns)
{
	struct http_connection *connection = malloc(sizeof(*connection));

	if (!connection) {
		close(fd);
		return NULL;
	}
	connection->server = server;
	connection->fd = fd;
	connection->state = HTTP_READING;
	connection->closes = false;
	connection->deadline_ns = now_ns + REQUEST_NS;
	connection->served_ns = 0;
	connection->request_bytes = connection->thrown_bytes = 0;
	connection->filled = connection->sent = 0;
	connection->answer.piece_count = connection->piece = 0;
	return connection;
}

/* Writes the header. Its fields forbid caching, frames, and the Referer field in requests to other servers. */
static void begin_answer(struct http_connection *connection, unsigned int status, bool head_only, uint64_t now_ns)
{
	struct http_answer *answer = &connection->answer;
	char text[64] = "";
	uint64_t size = 0;
	int length;

	if (status == 200) {
		for (unsigned int i = 0; i < answer->piece_count; i++)
			size += answer->pieces[i].size;
		connection->served_ns = now_ns;
	} else {
		answer->type = "text/plain; charset=utf-8";
		answer->piece_count = 0;
		size = (uint64_t)snprintf(text, sizeof(text), "%u %s\n", status, reason_of(status));
	}
	length = snprintf(connection->buffer, sizeof(connection->buffer),
			  "HTTP/1.1 %u %s\r\nContent-Type: %s\r\nContent-Length: %" PRIu64 "\r\n%sConnection: %s\r\n"
			  "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
			  "Cross-Origin-Resource-Policy: same-origin\r\nX-Frame-Options: DENY\r\n"
			  "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
			  "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n\r\n%s",
			  status, reason_of(status), answer->type, size, status == 405 ? "Allow: GET, HEAD\r\n" : "",
			  connection->closes ? "close" : "keep-alive", head_only ? "" : text);
	connection->filled = (size_t)length;
	connection->sent = 0;
	connection->piece = 0;
	if (head_only)
		answer->piece_count = 0;
	connection->state = HTTP_WRITING;
	connection->deadline_ns = now_ns + WRITE_NS;
}

/* Checks the Host field: a foreign site whose name resolves to 127.0.0.1 sends its own name there. */
static bool is_our_host(const struct http_server *server, const struct http_request *request)
{
	static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char host[32];
		int length = snprintf(host, sizeof(host), "%s:%u", names[i], (unsigned int)server->port);

		if (server->port == 80 && request->host_length == strlen(names[i]) &&
		    strncasecmp(request->host, names[i], request->host_length) == 0)
			return true;
		if (request->host_length == (size_t)length && strncasecmp(request->host, host, (size_t)length) == 0)
			return true;
	}
	return false;
}

/* Answers a complete request, or a malformed one. Returns false if the request is not complete yet. */
static bool answer_request(struct http_connection *connection, uint64_t now_ns)
{
	struct http_server *server = connection->server;
	struct http_request request;
	int length = http_request_parse(&request, connection->request, connection->request_bytes);
	unsigned int status;

	if (length == 0 && connection->request_bytes < HTTP_REQUEST_BYTES)
		return false;
	if (length <= 0) {
		connection->closes = true;
		begin_answer(connection, length ? (unsigned int)-length : 431, false, now_ns);
		return true;
	}
	connection->closes = request.closes;
	connection->answer.piece_count = 0;
	status = is_our_host(server, &request) ? server->answer(server->context, &request, &connection->answer) : 403;
	begin_answer(connection, status, request.head_only, now_ns);
	connection->request_bytes -= (size_t)length;
	memmove(connection->request, connection->request + length, connection->request_bytes);
	return true;
}

/* Returns the number of bytes (> 0), 0 if there are none yet, or -1 if the connection ended or failed. */
static ssize_t receive_bytes(struct http_connection *connection, char *to, size_t room)
{
	ssize_t count;

	do
		count = recv(connection->fd, to, room, 0);
	while (count < 0 && errno == EINTR);
	return count > 0 ? count : count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : -1;
}

/* Returns whether to continue without waiting. */
static bool step_reading(struct http_connection *connection, uint64_t now_ns)
{
	ssize_t count;

	if (answer_request(connection, now_ns))
		return true;
	count = receive_bytes(connection, connection->request + connection->request_bytes,
			HTTP_REQUEST_BYTES - connection->request_bytes);
	if (count < 0)
		connection->state = HTTP_OVER;
	if (count <= 0)
		return false;
	/* The time of a request begins with its first byte. */
	if (!connection->request_bytes && connection->deadline_ns > now_ns + REQUEST_NS)
		connection->deadline_ns = now_ns + REQUEST_NS;
	connection->request_bytes += (size_t)count;
	return true;
}

/* Reads the next part of the answer into the empty buffer. Returns 1, 0 at the end, or -1 on a read error. */
static int fill_buffer(struct http_connection *connection)
{
	struct http_answer *answer = &connection->answer;

	connection->filled = connection->sent = 0;
	while (connection->piece < answer->piece_count && connection->filled < HTTP_BUFFER_BYTES) {
		struct http_piece *piece = &answer->pieces[connection->piece];
		size_t room = HTTP_BUFFER_BYTES - connection->filled;
		ssize_t count = pread(connection->server->file, connection->buffer + connection->filled,
				      piece->size < room ? piece->size : room, (off_t)piece->offset);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0 || (count == 0 && piece->size))
			return -1;
		connection->filled += (size_t)count;
		piece->offset += (uint64_t)count;
		piece->size -= (uint64_t)count;
		if (!piece->size)
			connection->piece++;
	}
	return connection->filled != 0;
}

static void end_answer(struct http_connection *connection, uint64_t now_ns)
{
	if (connection->closes) {
		shutdown(connection->fd, SHUT_WR);
		connection->state = HTTP_LEAVING;
		connection->deadline_ns = now_ns + LEAVE_NS;
		return;
	}
	connection->state = HTTP_READING;
	connection->deadline_ns = now_ns + (connection->request_bytes ? REQUEST_NS : IDLE_NS);
}

static bool step_writing(struct http_connection *connection, uint64_t now_ns)
{
	ssize_t count;

	if (connection->sent == connection->filled) {
		int more = fill_buffer(connection);

		if (more < 0)
			connection->state = HTTP_OVER;
		else if (more == 0)
			end_answer(connection, now_ns);
		if (more <= 0)
			return more == 0;
	}
	do
		count = send(connection->fd, connection->buffer + connection->sent, connection->filled - connection->sent, MSG_NOSIGNAL);
	while (count < 0 && errno == EINTR);
	if (count < 0) {
		if (errno != EAGAIN && errno != EWOULDBLOCK)
			connection->state = HTTP_OVER;
		return false;
	}
	connection->sent += (size_t)count;
	connection->deadline_ns = now_ns + WRITE_NS;
	return true;
}

static bool step_leaving(struct http_connection *connection)
{
	ssize_t count = receive_bytes(connection, connection->buffer, sizeof(connection->buffer));

	if (count > 0)
		connection->thrown_bytes += (size_t)count;
	if (count < 0 || connection->thrown_bytes > THROWN_MAX)
		connection->state = HTTP_OVER;
	return count > 0;
}

/* Does at most 16 steps, so that other connections get their turn. Requests that have arrived are read at once. */
void http_connection_continue(struct http_connection *connection, uint64_t now_ns)
{
	bool goes_on = true;

	for (int step = 0;
	     (step < 16 || connection->state == HTTP_READING) && goes_on && connection->state != HTTP_OVER; step++)
		goes_on = connection->state == HTTP_READING ? step_reading(connection, now_ns) :
			  connection->state == HTTP_WRITING ? step_writing(connection, now_ns) :
								step_leaving(connection);
}

short http_connection_wants(const struct http_connection *connection)
{
	return connection->state == HTTP_WRITING ? POLLOUT : POLLIN;
}

void http_connection_close(struct http_connection *connection)
{
	if (!connection)
		return;
	close(connection->fd);
	free(connection);
}
