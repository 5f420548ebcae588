/* SPDX-License-Identifier: MIT */
/*
 * http_request.h - parses the requests of a browser: the strict part of HTTP/1.1 (RFC 9112) that a
 * server without bodies, proxies and old clients needs.
 */
#ifndef SPOOR_TOOLS_HTTP_REQUEST_H
#define SPOOR_TOOLS_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#define HTTP_REQUEST_BYTES 8192u	/* at most, header fields included */

struct http_request {
	bool head_only;			/* HEAD; else GET */
	bool closes;			/* the client sends no further request */
	const char *path;		/* begins with '/'; visible ASCII without '#', not decoded */
	size_t path_length;
	const char *host;		/* not normalized */
	size_t host_length;
};

/*
 * http_request_parse - parses the request at the beginning of @bytes. Its strings point into @bytes.
 *
 * Returns its length (> 0), 0 if more bytes are needed, or the negative status to answer with:
 *   -400   a malformed or ambiguous request, or one with a body
 *   -405   a method other than GET and HEAD
 *   -505   a version other than HTTP/1.0 and HTTP/1.1
 */
int http_request_parse(struct http_request *request, const char *bytes, size_t count);

#endif
