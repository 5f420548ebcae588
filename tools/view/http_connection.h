/* SPDX-License-Identifier: MIT */
/* http_connection.h - one browser's connection: requests in turn, each with its answer. */
#ifndef SPOOR_TOOLS_HTTP_CONNECTION_H
#define SPOOR_TOOLS_HTTP_CONNECTION_H

#include "view/http_server.h"

#define HTTP_BUFFER_BYTES 65536u

enum http_state {
	HTTP_READING,
	HTTP_WRITING,
	HTTP_LEAVING,	/* all is said: what still comes is thrown away, so that the answer is not */
	HTTP_OVER,
};

struct http_connection {
	struct http_server *server;
	int fd;
	enum http_state state;
	bool closes;			/* after this answer */
	uint64_t deadline_ns;		/* CLOCK_MONOTONIC */
	uint64_t served_ns;		/* when it was last answered with a piece; 0: never */
	size_t request_bytes, thrown_bytes;
	size_t filled, sent;		/* of the buffer */
	struct http_answer answer;	/* what is left of it */
	unsigned int piece;
	char request[HTTP_REQUEST_BYTES];
	char buffer[HTTP_BUFFER_BYTES];
};

/* Owns @fd, which does not block. Return: null where there is no memory; @fd is closed then. */
struct http_connection *http_connection_open(struct http_server *server, int fd, uint64_t now_ns);

/* Does what can be done without waiting; afterwards `state` may be HTTP_OVER. */
void http_connection_go(struct http_connection *connection, uint64_t now_ns);

/* What to wait for: poll's events. */
short http_connection_wants(const struct http_connection *connection);
void http_connection_close(struct http_connection *connection);

#endif
