/* SPDX-License-Identifier: MIT */
/*
 * http_server.h - sends pieces of one file to browsers on this machine.
 *
 * Invariants
 *   I1  The server listens on the loopback interface only, and answers only requests whose Host is
 *       a name of that interface.
 *   I2  At most HTTP_CONNECTIONS are open. For a further one the server closes the connection that
 *       got no piece of the file for the longest time, so clients without the token block no other.
 *   I3  A request has at most HTTP_REQUEST_BYTES and must arrive within 10 seconds. The server
 *       closes a connection that reads no answer for 30 seconds, or sends no request for 120.
 *   I4  Each connection takes one request and 64 KiB of memory, for any size of the file.
 */
#ifndef SPOOR_TOOLS_HTTP_SERVER_H
#define SPOOR_TOOLS_HTTP_SERVER_H

#include <stdint.h>

#include "view/http_request.h"

#define HTTP_CONNECTIONS 32u
#define HTTP_PIECES 32u		/* at most, of one answer */

/* A range of bytes of the file. */
struct http_piece {
	uint64_t offset, size;
};

struct http_answer {
	const char *type;		/* Content-Type */
	struct http_piece pieces[HTTP_PIECES];
	unsigned int piece_count;
};

struct http_connection;

struct http_server {
	/* Set by the caller before http_server_run: */
	int file;			/* the file, open for reading; the caller's */
	/* Fills @answer. Returns 200, or the HTTP status of an answer without pieces. */
	unsigned int (*answer)(void *context, const struct http_request *request, struct http_answer *answer);
	void *context;

	int fd;
	uint16_t port;
	char address[16];		/* in the form for a URL */
	struct http_connection *connections[HTTP_CONNECTIONS];
};

/*
 * http_server_open - binds to @port of 127.0.0.1, or of ::1 without IPv4. 0: any free port.
 *
 * Returns 0, or a negative errno: -EADDRINUSE if another program has the port, -EACCES if the port
 * needs privileges.
 */
int http_server_open(struct http_server *server, uint16_t port);

/* Starts to accept connections. Returns as http_server_open. */
int http_server_listen(struct http_server *server);

/* Serves until the signalfd @signals is readable. Returns 0, or a negative errno. */
int http_server_run(struct http_server *server, int signals);
void http_server_close(struct http_server *server);

#endif
