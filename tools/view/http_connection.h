/* SPDX-License-Identifier: MIT */
/* http_connection.h - answers the requests of one browser connection, one after the other. */
#ifndef SPOOR_TOOLS_HTTP_CONNECTION_H
#define SPOOR_TOOLS_HTTP_CONNECTION_H

#include "view/http_server.h"

#define HTTP_BUFFER_BYTES 65536u

enum http_state {
	HTTP_READING,
	HTTP_WRITING,
	HTTP_LEAVING,	/* the answer is sent; further bytes are dropped: a close with unread bytes sends a reset */
	HTTP_OVER,
};

struct http_connection {
	struct http_server *server;
	int fd;
	enum http_state state;
	bool closes;			/* close after this answer */
	uint64_t deadline_ns;		/* CLOCK_MONOTONIC */
	uint64_t served_ns;		/* time of the last answer with status 200; 0: none */
	size_t request_bytes, thrown_bytes;
	size_t filled, sent;		/* bytes of the buffer */
	struct http_answer answer;	/* the rest of it */
	unsigned int piece;		/* the next piece of the answer */
	char request[HTTP_REQUEST_BYTES];
	char buffer[HTTP_BUFFER_BYTES];
};

/* Takes over @fd, which must be non-blocking. Returns NULL without memory, after closing @fd. */
struct http_connection *http_connection_open(struct http_server *server, int fd, uint64_t now_ns);

/* Reads and writes as much as is possible without waiting. Then @state may be HTTP_OVER. */
void http_connection_continue(struct http_connection *connection, uint64_t now_ns);

/* Returns poll's events to wait for. */
short http_connection_wants(const struct http_connection *connection);
void http_connection_close(struct http_connection *connection);

#endif
