/* SPDX-License-Identifier: MIT */
/*
 * http_server.h - answers browsers of this machine with pieces of one file.
 *
 * Invariants
 *   I1  it listens on the loopback interface only, and answers only requests whose Host is that.
 *   I2  HTTP_CONNECTIONS at most are open. Where all are taken the one goes that has not been
 *       answered with a piece for the longest time: who cannot say the right path keeps nobody out.
 *   I3  a request has HTTP_REQUEST_BYTES at most, and arrives within ten seconds; who reads no
 *       answer for thirty is left, and who asks nothing for two minutes.
 *   I4  memory is a request and 64 KiB for each connection, whatever the file.
 */
#ifndef SPOOR_TOOLS_HTTP_SERVER_H
#define SPOOR_TOOLS_HTTP_SERVER_H

#include <stdint.h>

#include "view/http_request.h"

#define HTTP_CONNECTIONS 32u
#define HTTP_PIECES 32u		/* of one answer */

/* Bytes of the file. */
struct http_piece {
	uint64_t offset, size;
};

struct http_answer {
	const char *type;		/* of its pieces */
	struct http_piece pieces[HTTP_PIECES];
	unsigned int piece_count;
};

struct http_connection;

struct http_server {
	/* To be set before it runs. */
	int file;
	/* Fills @answer. Return: 200, or the status of an answer without pieces. */
	unsigned int (*answer)(void *context, const struct http_request *request, struct http_answer *answer);
	void *context;

	int fd;
	uint16_t port;
	char address[16];		/* as in a URL */
	struct http_connection *connections[HTTP_CONNECTIONS];
};

/*
 * http_server_open - takes @port of 127.0.0.1, of ::1 where that is not there; 0: any that is free.
 *
 * Return: 0 or a negative errno: -EADDRINUSE where another program has it, -EACCES where only root may.
 */
int http_server_open(struct http_server *server, uint16_t port);

/* From here on it answers. Return: as http_server_open. */
int http_server_listen(struct http_server *server);

/* Answers until @signals, a signalfd, has one. Return: 0 or a negative errno. */
int http_server_run(struct http_server *server, int signals);
void http_server_close(struct http_server *server);

#endif
